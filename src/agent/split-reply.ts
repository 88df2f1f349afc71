import type { AssistantMessage } from '../model/types.ts';

/** What a message thinks, and what it says. Thinking never leaves the transcript. */
export interface SplitReply {
  readonly thinking: string;
  readonly text: string;
}

const OPEN = '<think>';
const CLOSE = '</think>';
/** A closing tag on a line of its own: within a line it is quoted. */
const LONE_CLOSE = /^[ \t]{0,9}<\/think>[ \t]{0,9}$/m;

/**
 * Tells thinking from text, whichever way the server sends it (case D10): fields of either name, or tags within the
 * content. Templates may put the opening tag in the prompt, so that a closing one alone ends the thinking; an
 * unclosed one takes the rest.
 */
export function splitReply({ content, reasoning_content, reasoning }: AssistantMessage): SplitReply {
  const fields = [reasoning_content, reasoning].filter((field) => field !== undefined);
  const whole = content ?? '';
  const start = whole.trimStart();
  if (start.startsWith(OPEN)) {
    const close = start.indexOf(CLOSE);
    const inline = start.slice(OPEN.length, close < 0 ? start.length : close);
    return {
      thinking: [...fields, inline].join('\n'),
      text: close < 0 ? '' : start.slice(close + CLOSE.length),
    };
  }
  const lone = fields.length === 0 ? LONE_CLOSE.exec(whole) : null;
  if (lone === null) return { thinking: fields.join('\n'), text: whole };
  return { thinking: whole.slice(0, lone.index), text: whole.slice(lone.index + lone[0].length) };
}
