import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseConfig } from '../../src/config.ts';
import { createFolder, FORGE, KEY, MODEL, problemsOf, WEBHOOK_SECRET } from './config/environment.ts';

const { folder, file } = createFolder();
const ALL = ['forge', 'model', 'sandbox'] as const;

describe('src/config.ts', () => {
  test('an empty environment gives the embedded standard', () => {
    const config = parseConfig({}, []);
    assert.equal(config.dataFolder, join(process.cwd(), '.tadpole'));
    assert.equal(config.cacheFolder, join(process.cwd(), '.tadpole', 'mirrors'));
    assert.equal(config.cacheMaxBytes, 20 * 1024 ** 3);
    assert.deepEqual(config.listen, { host: '127.0.0.1', port: 3000 });
    assert.deepEqual(config.labels, ['tadpole']);
    assert.deepEqual(config.plainHttpHosts, []);
    assert.deepEqual(config.work, { concurrency: 2, leaseMs: 30_000, shutdownGraceMs: 30_000 });
    assert.deepEqual(config.caps, {
      steps: 150,
      minutes: 60,
      filesChanged: 100,
      runsADay: 50,
      runsAnHourPerIssue: 6,
    });
    assert.deepEqual(
      [config.databaseUrl, config.redisUrl, config.caFile, config.publicUrl],
      [null, null, null, null],
    );
    assert.equal(config.hasModelEndpoint, false);
    assert.deepEqual(config.warnings, []);
  });

  test('everything that was asked for is there, with units taken from the names', () => {
    const env = {
      ...FORGE,
      ...MODEL,
      GITHUB_HOST: 'git.corp.example:8443',
      MODEL_TIMEOUT_SECONDS: '10',
      MODEL_API_KEY: 'sk-models-1234',
      SANDBOX_MEMORY_MIB: '64',
      SANDBOX_READ_ONLY_PATHS: `${folder}:/opt/deps, /usr`,
    };
    const { forge, model, sandbox } = parseConfig(env, ALL);
    assert.deepEqual(forge, {
      host: 'git.corp.example:8443',
      baseUrl: 'https://git.corp.example:8443',
      appId: 12,
      privateKey: KEY,
      webhookSecret: WEBHOOK_SECRET,
    });
    assert.deepEqual(model, {
      baseUrl: 'https://models.example.com/v1',
      name: 'frog',
      apiKey: 'sk-models-1234',
      profile: 'frognano',
      timeoutMs: 10_000,
      contextTokens: null,
      turnTokens: null,
    });
    assert.deepEqual(sandbox, {
      kind: 'bubblewrap',
      readOnlyPaths: [
        { host: folder, inside: '/opt/deps' },
        { host: '/usr', inside: '/usr' },
      ],
      memoryBytes: 64 * 1024 ** 2,
      processes: 512,
      fileBytes: 2048 * 1024 ** 2,
    });
  });

  test('the result is frozen all the way down', () => {
    const config = parseConfig({ ...FORGE }, ['forge']);
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.forge) && Object.isFrozen(config.labels));
  });

  test('sections that were not asked for are absent, even when their variables are set', () => {
    const config = parseConfig({ ...FORGE, ...MODEL }, ['model', 'sandbox']);
    assert.ok(!('forge' in config));
    assert.ok(!JSON.stringify(config).includes(WEBHOOK_SECRET));
  });

  test('the sandbox side is warned about credentials that it does not need', () => {
    const config = parseConfig({ ...FORGE, ...MODEL }, ['model', 'sandbox']);
    assert.equal(config.warnings.length, 1);
    assert.match(String(config.warnings[0]), /GITHUB_PRIVATE_KEY, WEBHOOK_SECRET/);
    assert.deepEqual(parseConfig({ ...FORGE, ...MODEL }, ALL).warnings, []);
  });

  test('all problems come in one message, in lines that start with the name', () => {
    const detail = problemsOf(
      { PORT: 'x', GITHUB_HOST: 'https://git.corp/api', WEBHOOK_SECRET: 'short' },
      ALL,
    );
    assert.equal(detail.split('\n')[0], "Configuration can't be used; nothing was started.");
    assert.match(detail, /^ {2}PORT {16}"x" should be a whole number from 0 to 65535$/m);
    assert.match(
      detail,
      /^ {2}GITHUB_HOST {9}"https:\/\/git\.corp\/api" should be a host, as in git\.corp$/m,
    );
    assert.match(
      detail,
      /^ {2}WEBHOOK_SECRET {6}is shorter than 32 bytes\. Make one: openssl rand -hex 32$/m,
    );
    for (const name of ['GITHUB_APP_ID', 'GITHUB_PRIVATE_KEY', 'MODEL_BASE_URL', 'MODEL_NAME']) {
      assert.match(detail, new RegExp(`^  ${name} +is not set`, 'm'));
    }
  });

  test('a command is not asked for what it does not need', () => {
    assert.doesNotThrow(() => parseConfig({ ...FORGE }, ['forge']));
    assert.doesNotThrow(() => parseConfig({ ...MODEL }, ['model', 'sandbox']));
  });

  test('an empty variable counts as not set', () => {
    assert.equal(parseConfig({ PORT: ' ', REDIS_URL: '' }, []).listen.port, 3000);
    assert.match(problemsOf({ ...FORGE, WEBHOOK_SECRET: '' }, ['forge']), /WEBHOOK_SECRET +is not set/);
  });

  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['TADPOLE_CACHE_MAX_GIB', '0', /should be a whole number from 1/],
    ['PORT', '65536', /should be a whole number/],
    ['PORT', '1e3', /should be a whole number/],
    ['LOG_LEVEL', 'loud', /"loud" should be trace or debug/],
    ['SANDBOX', 'docker', /"docker" should be bubblewrap/],
    ['GITHUB_HOST', 'git corp', /should be a host/],
    ['TADPOLE_HTTP_HOSTS', 'a.example,http://b', /should be a host, as in b/],
    ['TADPOLE_PUBLIC_URL', 'tadpole.example', /should be an http or https address/],
    ['DATABASE_URL', 'mysql://x', /should be an address as in postgres:/],
    ['REDIS_URL', 'localhost:6379', /should be an address as in redis:/],
    ['SANDBOX_READ_ONLY_PATHS', 'usr/lib', /should be an absolute path/],
    ['SANDBOX_READ_ONLY_PATHS', '/a:/b:/c', /should be an absolute path/],
    ['SANDBOX_READ_ONLY_PATHS', '/does/not/exist', /names \/does\/not\/exist, which does not exist/],
    ['TADPOLE_CA_FILE', '/does/not/exist.pem', /can't be read \(ENOENT\)/],
    ['TADPOLE_DEFAULT_POLICY', '/does/not/exist.yml', /can't be read \(ENOENT\)/],
    ['CAP_MINUTES', '181', /from 1 to 180/],
    ['MODEL_BASE_URL', 'models', /should be an http or https address/],
    ['MODEL_NAME', 'a b', /should be one word/],
  ];
  for (const [name, value, expected] of wrong) {
    test(`${name}=${value} is refused by name`, () => {
      const detail = problemsOf({ [name]: value }, ['sandbox']);
      assert.match(detail, new RegExp(`^  ${name} `, 'm'));
      assert.match(detail, expected);
    });
  }

  test('a name that is nearly ours is taken for a slip, and a far one for somebody else’s', () => {
    assert.match(problemsOf({ MODEL_TIMEOUT_SECOND: '1' }), /did you mean MODEL_TIMEOUT_SECONDS\?/);
    assert.match(problemsOf({ TADPOLE_LABEL: 'x' }), /did you mean TADPOLE_LABELS\?/);
    assert.doesNotThrow(() => parseConfig({ GITHUB_WORKSPACE: '/x', GITHUB_TOKEN: 'x', PATH: '/bin' }, []));
  });

  test('no message quotes a secret, wherever it was put', () => {
    const token = 'ghs_planted0123456789';
    const detail = problemsOf(
      {
        ...FORGE,
        GITHUB_HOST: `https://x:${token}@git.corp/api`,
        GITHUB_PRIVATE_KEY: token,
        WEBHOOK_SECRET: token,
        DATABASE_URL: `mysql://u:${token}@db/x`,
        REDIS_URL: `http://:${token}@redis`,
        MODEL_BASE_URL: `https://u:${token}@m/v1?key=${token}`,
        TADPOLE_HTTP_HOSTS: `x:${token}@git.corp`,
      },
      ALL,
    );
    assert.ok(!detail.includes(token), detail);
    assert.match(detail, /GITHUB_HOST +should be a host, as in git\.example\.com/);
  });

  test('every secret is listed for the register, passwords also in decoded form', () => {
    const env = {
      ...FORGE,
      ...MODEL,
      MODEL_API_KEY: 'sk-models-1234',
      DATABASE_URL: 'postgres://u:p%40ssword@db/x',
      REDIS_URL: 'redis://:100%pure@redis',
    };
    const { secretValues } = parseConfig(env, ALL);
    const expected = [KEY, WEBHOOK_SECRET, 'sk-models-1234', 'p%40ssword', 'p@ssword', '100%pure'];
    assert.deepEqual([...secretValues].sort(), expected.sort());
  });

  test('a certificate file without a certificate is refused', () => {
    assert.match(problemsOf({ TADPOLE_CA_FILE: file('ca.pem', 'hello') }), /has no certificate/);
  });
});
