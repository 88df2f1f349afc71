import type { ExecResult, KeptOutput } from '../../sandbox/types.ts';
import { countChars, takeChars, takeLastChars, truncated } from './python-text.ts';

const MAX_CHARS = 30_000;
/** What standard error may take when both streams are long. */
const ERROR_CHARS = 10_000;

/**
 * A stream as text: all of it, or its two ends with what lies between counted (bytes for characters where they were
 * not kept).
 */
interface StreamText {
  readonly head: string;
  readonly tail: string;
  readonly chars: number;
}

function decode({ head, tail, omittedBytes }: KeptOutput): StreamText {
  if (omittedBytes === 0) {
    const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat([head, tail]));
    return { head: whole, tail: whole, chars: countChars(whole) };
  }
  const first = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
  const start = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
  const last = new TextDecoder().decode(tail.subarray(Math.max(0, start)));
  return { head: first, tail: last, chars: countChars(first) + countChars(last) + omittedBytes };
}

interface Fitted {
  readonly text: string;
  readonly missing: number;
}

/** At most `room` characters: head and tail, since the news of a long output stand at its end (case E18). */
function fit({ head, tail, chars }: StreamText, room: number): Fitted {
  if (chars <= room) return { text: head, missing: 0 };
  const half = Math.floor(room / 2);
  const missing = chars - 2 * half;
  const text = `${takeChars(head, half)}\n[... ${missing} chars left out ...]\n${takeLastChars(tail, half)}`;
  return { text, missing };
}

/** The observation of a command: first line, both streams, and, where they are too long, how much is missing. */
export function describeStreams(first: string, result: Pick<ExecResult, 'stdout' | 'stderr'>): string {
  const [out, err] = [decode(result.stdout), decode(result.stderr)];
  const compose = (stdout: string, stderr: string) => `${first}\nSTDOUT:\n${stdout}\nSTDERR:\n${stderr}`;
  const room = MAX_CHARS - countChars(compose('', ''));
  if (out.chars + err.chars <= room) return compose(out.head, err.head);
  const errRoom = Math.min(err.chars, Math.max(ERROR_CHARS, room - out.chars));
  const fittedErr = fit(err, errRoom);
  const fittedOut = fit(out, room - errRoom);
  return `${compose(fittedOut.text, fittedErr.text)}\n${truncated(fittedOut.missing + fittedErr.missing)}`;
}
