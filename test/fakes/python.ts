import { spawnSync } from 'node:child_process';

/** Runs Python on this machine with a JSON value as `data`; what the code assigns to `result` comes back. */
export function python(code: string, data: unknown): unknown {
  const script = `import json, sys\ndata = json.load(sys.stdin)\n${code}\njson.dump(result, sys.stdout)\n`;
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', script], {
    input: JSON.stringify(data),
    encoding: 'utf8',
    env: { LANG: 'C.UTF-8' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** A sequence of numbers from 0 to 1 that is the same every time. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** A text of some of these pieces. */
export function randomText(random: () => number, pieces: readonly string[], most: number): string {
  const length = Math.floor(random() * (most + 1));
  return Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join('');
}
