import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runAgent } from '../../../src/agent/loop.ts';
import { createTools } from '../../../src/agent/tools/toolbox.ts';
import { createOpenAiModel } from '../../../src/model/openai.ts';
import { findProfile } from '../../../src/model/profiles/find-profile.ts';
import { startReplay } from '../../../src/model/replay.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { never } from '../../fakes/sandboxes.ts';
import { openToolWorld } from '../../fakes/tool-world.ts';

const SAMPLE = fileURLToPath(new URL('../../../samples/total/', import.meta.url));

describe('src/agent/loop.ts: the bundled sample', () => {
  it('is mended by its recording in a real sandbox', async () => {
    const replay = await startReplay({
      transcript: JSON.parse(await readFile(`${SAMPLE}transcript.json`, 'utf8')),
    });
    const world = await openToolWorld();
    try {
      const entries = await readdir(`${SAMPLE}repository`, { recursive: true, withFileTypes: true });
      for (const entry of entries.filter((each) => each.isFile())) {
        const path = `${entry.parentPath}/${entry.name}`;
        await world.put(path.slice(`${SAMPLE}repository/`.length), await readFile(path));
      }
      const { log } = gatherLog();
      const profile = findProfile('frognano');
      const endpoint = { baseUrl: replay.url, name: replay.model, apiKey: null, timeoutMs: 30_000, log };
      const model = createOpenAiModel({ ...endpoint, sampling: profile.sampling, recorded: true });
      // Ids of the world's own calls are the same.
      const tools = createTools({
        exec: (call, options) => world.sandbox.exec({ ...call, id: `run-${call.id}` }, options),
      });
      const deps = {
        model,
        profile,
        limits: profile.limits,
        tools,
        secrets: createSecrets(),
        log,
        save: async () => undefined,
      };
      const task = { text: await readFile(`${SAMPLE}issue.md`, 'utf8'), testCommand: 'python3 -m pytest -q' };
      const { fault, durationMs, tokens, lastWords, ...end } = await runAgent(deps, task, {
        signal: never(),
      });
      assert.equal(fault, null);
      assert.deepEqual(end, {
        exitReason: 'agent',
        turns: 9,
        toolCalls: 9,
        model: 'recorded (recorded model)',
        recorded: true,
        profile: 'frognano 1',
      });
      assert.ok(durationMs > 0 && tokens > 1000);
      assert.match(lastWords, /All seven tests pass/);
      assert.match(await world.shell('python3 -m pytest -q 2>&1 | tail -1'), /7 passed/);
    } finally {
      await world.close();
      await replay.close();
    }
  });
});
