import assert from 'node:assert/strict';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Fault } from '../../src/errors.ts';
import { putFile } from '../../src/sandbox/bubblewrap/transfer.ts';
import { type Sandbox, WORKSPACE } from '../../src/sandbox/types.ts';
import { type BubblewrapWorld, MIB, never, openBubblewrap, run, sh, text } from '../fakes/sandboxes.ts';

const signal = never();
const isTransferFault = (err: unknown) => err instanceof Fault && err.code === 'sandbox_transfer_failed';

/** Pieces that mean something to a shell, a terminal, a decoder or an option parser. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: shell text
const SPICE = [
  ...[
    "'",
    '"',
    '\\',
    '`',
    '$(id)',
    '${IFS}',
    '$((1))',
    '\n',
    '\r',
    '\t',
    ' ',
    ';',
    '&',
    '|',
    '>',
    '<',
    '(',
    ')',
  ],
  ...[
    '*',
    '?',
    '[a]',
    '{a,b}',
    '~',
    '!',
    '#',
    '%s',
    '%n',
    '-',
    '--',
    '-rf',
    '=',
    ':',
    ',',
    '@',
    '^',
    "'\\''",
    '\x7f',
  ],
  ...[
    '\x01',
    '\x07',
    '\x1b[31m',
    '\x80',
    '\x81',
    '\x88',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u202e',
    'é',
    'e\u0301',
    '😀',
    '漢',
  ],
];

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: shell text

function fuzz(parts: number): string {
  let word = '';
  for (let index = 0; index < parts; index += 1)
    word += randomInt(3) === 0 ? String.fromCodePoint(1 + randomInt(0x2ff)) : SPICE[randomInt(SPICE.length)];
  return word;
}

async function* zeros(bytes: number): AsyncIterable<Uint8Array> {
  const piece = Buffer.alloc(MIB);
  for (let left = bytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}

async function sumOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

describe('src/sandbox/bubblewrap: names and bytes', () => {
  let world: BubblewrapWorld;
  let sandbox: Sandbox;
  before(async () => {
    world = await openBubblewrap();
    sandbox = await world.create({ fileBytes: 600 * MIB });
  });
  after(() => world.close());

  it('T26: 10 000 fuzzed arguments arrive byte for byte, and nothing else runs', async () => {
    for (let round = 0; round < 20; round += 1) {
      const words = Array.from({ length: 500 }, () => fuzz(1 + randomInt(12)));
      const { stdout, exitCode } = await run(sandbox, ['/usr/bin/printf', '%s\\0', ...words], {
        keep: { headBytes: 4 * MIB, tailBytes: 0 },
      });
      assert.equal(exitCode, 0);
      assert.deepEqual(text(stdout).split('\0').slice(0, -1), words);
    }
    assert.equal(text((await sh(sandbox, 'ls -A')).stdout), '');
  });

  it('T26: every single byte arrives in an argument, a variable and a folder name', async () => {
    for (let code = 1; code < 0x180; code += 8) {
      const word = Array.from({ length: 8 }, (_, index) => `a${String.fromCodePoint(code + index)}`).join('');
      const name = word.replaceAll('/', '_');
      await run(sandbox, ['/bin/mkdir', '--', `${WORKSPACE}/bytes-${name}`]);
      const result = await run(
        sandbox,
        ['/bin/sh', '-c', 'printf "%s\\0" "$1" "$WORD" "$(pwd)"', 'sh', word],
        {
          env: { WORD: word },
          cwd: `${WORKSPACE}/bytes-${name}`,
        },
      );
      assert.deepEqual(text(result.stdout).split('\0'), [word, word, `${WORKSPACE}/bytes-${name}`, '']);
    }
    await sh(sandbox, 'rm -rf bytes-*');
  });

  it('T26: fuzzed file names and contents round-trip by put and get', async () => {
    for (let round = 0; round < 60; round += 1) {
      const name = Buffer.from(fuzz(1 + randomInt(15)).replaceAll('/', '_'))
        .subarray(0, 200)
        .toString();
      const path = `${WORKSPACE}/round/${fuzz(1).replaceAll(/[/.]/g, '_')}/x${name.replaceAll('\ufffd', '')}`;
      const content = randomBytes(randomInt(5000));
      await sandbox.put(path, content, { signal });
      const read = await sandbox.get(path, { signal, maxBytes: 5000 });
      assert.deepEqual(Buffer.from(read ?? []), content, JSON.stringify(path));
    }
  });

  it('T26: a word with a NUL byte is refused before anything runs', async () => {
    await assert.rejects(run(sandbox, ['/bin/echo', 'a\0b']), Fault);
    await assert.rejects(run(sandbox, ['/bin/echo'], { env: { 'A=$(id)': 'x' } }), Fault);
  });

  it('A06: stdin of 60 and of 300 MB arrives whole', async () => {
    for (const bytes of [60 * MIB + 1, 300 * MIB]) {
      const result = await sh(sandbox, 'sha256sum', { stdin: zeros(bytes) });
      assert.equal(text(result.stdout).slice(0, 64), await sumOf(zeros(bytes)));
    }
  });

  it('A06: a file of 300 MB is put whole, with flat memory', async () => {
    const idle = process.memoryUsage().rss;
    let peak = 0;
    const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
    await sandbox.put(`${WORKSPACE}/pack`, zeros(300 * MIB), { signal });
    clearInterval(sampler);
    const result = await sh(sandbox, 'sha256sum < pack; rm pack');
    assert.equal(text(result.stdout).slice(0, 64), await sumOf(zeros(300 * MIB)));
    assert.ok((peak - idle) / MIB < 120, `${(peak - idle) / MIB} MiB`);
  });

  it('A07: a command of 200 KB comes by stdin; an argument that the kernel refuses is a result, and the next call works', async () => {
    const command = `cat > long <<'END'\n${'x'.repeat(200_000)}\nEND\nwc -c < long\n`;
    const result = await run(sandbox, ['/bin/bash', '-s'], { stdin: Buffer.from(command) });
    assert.equal(text(result.stdout), '200001\n');
    const refused = await run(sandbox, ['/bin/echo', 'x'.repeat(200_000)]);
    assert.notEqual(refused.exitCode, 0);
    assert.match(text(refused.stderr), /too long/i);
    const variable = await run(sandbox, ['/bin/true'], { env: { LONG: 'x'.repeat(150_000) } });
    assert.notEqual(variable.exitCode, 0);
    assert.equal((await sh(sandbox, 'exit 3')).exitCode, 3);
  });

  it('a cut or altered transfer never becomes a file', async () => {
    const damages: ((bytes: Buffer) => Buffer)[] = [
      (bytes) => bytes.subarray(0, -1),
      (bytes) => bytes.subarray(1),
      (bytes) => Buffer.concat([bytes.subarray(0, 100), bytes.subarray(101)]),
      (bytes) => Buffer.concat([Buffer.from([bytes[0]! ^ 1]), bytes.subarray(1)]),
      () => Buffer.alloc(0),
    ];
    await sh(sandbox, 'mkdir -p damaged; echo old > damaged/file');
    for (const [index, damage] of damages.entries()) {
      const put = putFile(
        async (call, options) => {
          const sent = await buffer(call.stdin as AsyncIterable<Uint8Array>);
          return sandbox.exec({ ...call, id: `damage-${index}`, stdin: damage(sent) }, options);
        },
        { path: `${WORKSPACE}/damaged/file`, content: randomBytes(1000) },
        { signal },
      );
      await assert.rejects(put, isTransferFault);
    }
    assert.equal(text((await sh(sandbox, 'ls -A damaged; cat damaged/file')).stdout), 'file\nold\n');
  });

  it('put goes through no link that waits at its target', async () => {
    await sh(sandbox, 'echo safe > elsewhere; ln -s elsewhere link; ln -s /etc/passwd etc; ln -s / root');
    await sandbox.put(`${WORKSPACE}/link`, Buffer.from('new'), { signal });
    assert.equal(
      text((await sh(sandbox, 'cat elsewhere; cat link; test -L link || echo file')).stdout),
      'safe\nnewfile\n',
    );
    await assert.rejects(
      sandbox.put(`${WORKSPACE}/root/usr/planted`, Buffer.from('x'), { signal }),
      isTransferFault,
    );
    await assert.rejects(sandbox.put(`${WORKSPACE}/folder/`, Buffer.from('x'), { signal }), Fault);
  });

  it('T07: get follows links inside the sandbox only', async () => {
    await sh(
      sandbox,
      'ln -s /etc/hostname name; ln -s /proc/1/environ env; ln -s ../../../../etc/shadow shadow; ln -s loop loop',
    );
    const options = { signal, maxBytes: 100_000 };
    assert.equal(await sandbox.get(`${WORKSPACE}/shadow`, options), null);
    assert.equal(await sandbox.get(`${WORKSPACE}/name`, options), null);
    assert.equal(await sandbox.get(`${WORKSPACE}/loop`, options), null);
    const environment = String(Buffer.from((await sandbox.get(`${WORKSPACE}/env`, options)) ?? []));
    assert.match(environment, /HOME=\/home\/sandbox/);
    assert.equal(environment.includes('USER='), false);
  });
});
