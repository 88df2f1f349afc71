/** Something that the person at the terminal has to mend: the message is all they need, so no stack is shown. */
export class Trouble extends Error {}
