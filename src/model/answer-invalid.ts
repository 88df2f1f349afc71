/** Thrown within this folder for an answer with status 200 that is none: too long, or without a message. */
export class AnswerInvalid extends Error {}
