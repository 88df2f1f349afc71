import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

const { O_RDONLY, O_RDWR, O_WRONLY, O_NONBLOCK } = constants;

/** Our end of a pipe as a stream, and the program's end as a file descriptor to hand to spawn and then to close. */
export interface CallPipe {
  readonly ours: Socket;
  readonly theirs: number;
}

/** Opens both ends. Read-write first: it never waits for the other side, and the two real ends then don't either. */
function openBoth(path: string, ends: { readonly ours: number; readonly theirs: number }) {
  const anchor = openSync(path, O_RDWR);
  try {
    // Only our end is non-blocking: the program must not see EAGAIN on its streams.
    const ours = openSync(path, ends.ours | O_NONBLOCK);
    const theirs = openSync(path, ends.theirs);
    return { ours, theirs };
  } finally {
    closeSync(anchor);
  }
}

/** A pipe through which the program is read. Ends when the last process of the call has closed it. */
export function openOutput(folder: string, name: 'stdout' | 'stderr'): CallPipe {
  const { ours, theirs } = openBoth(join(folder, 'pipes', name), { ours: O_RDONLY, theirs: O_WRONLY });
  return { ours: new Socket({ fd: ours, readable: true, writable: false }), theirs };
}

/** A pipe through which the program is fed. */
export function openInput(folder: string): CallPipe {
  const { ours, theirs } = openBoth(join(folder, 'pipes', 'stdin'), { ours: O_WRONLY, theirs: O_RDONLY });
  return { ours: new Socket({ fd: ours, readable: false, writable: true }), theirs };
}
