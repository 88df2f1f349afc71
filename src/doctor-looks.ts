import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openBase } from './app.ts';
import type { Look, Part } from './commands/doctor.ts';
import { parseConfig } from './config.ts';
import { toAddresses } from './forge/github/addresses.ts';
import { createGitHub } from './forge/github/github.ts';
import { createLog } from './log.ts';
import { checkModel } from './model/check-model.ts';
import { createBubblewrap } from './sandbox/bubblewrap/bubblewrap.ts';
import { createSecrets } from './secrets.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What `tadpole doctor` looks at: each part on its own, so that one that is not well does not hide another. */
export function createLooks(env: Env): Readonly<Record<Part, Look | null>> {
  const secrets = createSecrets();
  const log = createLog({ level: 'silent', secrets });
  const common = () => parseConfig(env, []);
  const withBase = async <T>(
    look: (base: Awaited<ReturnType<typeof openBase>>) => Promise<T>,
  ): Promise<T> => {
    const base = await openBase(common(), { log, secrets, owner: 'doctor' });
    try {
      return await look(base);
    } finally {
      await base.close();
    }
  };
  return {
    configuration: async () => `data in ${common().dataFolder}`,
    store: () =>
      withBase(async ({ store, config }) => {
        await store.ping();
        return config.databaseUrl === null ? 'embedded' : 'PostgreSQL';
      }),
    queue: () =>
      withBase(async ({ queue, config }) => {
        await queue.ping();
        const warnings = await queue.warnings();
        return [config.redisUrl === null ? 'on the database' : 'Redis', ...warnings].join('; ');
      }),
    git: async () => (await promisify(execFile)('git', ['--version'])).stdout.trim(),
    sandbox: async ({ signal }) => {
      const provider = createBubblewrap({ stateDir: join(common().dataFolder, 'sandboxes') });
      await provider.check({ signal });
      const { kind, version } = provider.describe();
      return `${kind} ${version}`;
    },
    forge: env.GITHUB_APP_ID
      ? async ({ signal }) => {
          const { forge, caFile } = parseConfig(env, ['forge']);
          const ca = caFile === null ? null : await readFile(caFile, 'utf8');
          const github = createGitHub({ ...forge, ...toAddresses(forge.baseUrl), ca, secrets, log });
          return `${forge.host} as ${(await github.readIdentity({ signal })).login}`;
        }
      : null,
    model: env.MODEL_BASE_URL
      ? async ({ signal }) => {
          const { model, caFile } = parseConfig(env, ['model']);
          const ca = caFile === null ? {} : { ca: await readFile(caFile, 'utf8') };
          await checkModel({ ...model, ...ca, log }, { signal });
          return `${model.name} answers`;
        }
      : null,
  };
}
