/** What stands below the options in each command's help. */
export const HELP = {
  program: `
Examples:
  tadpole try                        watch a run on the bundled sample; needs no account, cluster or key
  tadpole doctor                     see whether everything that start needs is there
  tadpole start                      receive webhooks and work on them, in one process

Environment:
  All settings are environment variables; docs/configuration.md and .env.example list them.
  A mistake in them stops the program before it does anything, with every problem in one message.
`,
  start: `
Examples:
  tadpole start
  PORT=8080 DATABASE_URL=postgres://… tadpole start

Environment:
  needed     GITHUB_APP_ID, GITHUB_PRIVATE_KEY or GITHUB_PRIVATE_KEY_FILE, WEBHOOK_SECRET, MODEL_BASE_URL, MODEL_NAME
  often set  GITHUB_HOST, HOST, PORT, TADPOLE_DATA, DATABASE_URL, REDIS_URL, WORK_CONCURRENCY

Holds credentials and works on untrusted code in one process; apart, serve and work are the safer way.
Webhooks arrive at /api/webhooks/github; /healthz and /readyz tell how it is. SIGTERM hands runs over and ends.
`,
  serve: `
Examples:
  DATABASE_URL=postgres://… tadpole serve

Environment:
  needed     GITHUB_APP_ID, GITHUB_PRIVATE_KEY or GITHUB_PRIVATE_KEY_FILE, WEBHOOK_SECRET
  often set  GITHUB_HOST, HOST, PORT, TADPOLE_DATA, DATABASE_URL, REDIS_URL

The side with credentials: webhook, admission, prepare, publish, report. It never touches untrusted code and
needs a DATABASE_URL and a TADPOLE_DATA folder that tadpole work shares.
`,
  work: `
Examples:
  DATABASE_URL=postgres://… MODEL_BASE_URL=https://models.example.com/v1 MODEL_NAME=frognano tadpole work

Environment:
  needed     MODEL_BASE_URL, MODEL_NAME
  often set  TADPOLE_DATA, DATABASE_URL, REDIS_URL, WORK_CONCURRENCY, SANDBOX_MEMORY_MIB, SANDBOX_READ_ONLY_PATHS
  never      GITHUB_PRIVATE_KEY, WEBHOOK_SECRET: this side works on untrusted code and holds no credential

The side with sandboxes: agent, change, verification. Start as many as there is room for.
`,
  try: `
Examples:
  tadpole try
  tadpole try --once --json
  MODEL_BASE_URL=… MODEL_NAME=… tadpole try --repo ~/src/calc --issue issue.md --test-command 'python3 -m pytest -q --junitxml="$TADPOLE_REPORT"'

Environment:
  MODEL_BASE_URL, MODEL_NAME, MODEL_API_KEY   a model of yours; without them a recording plays, on the sample only
  SANDBOX_READ_ONLY_PATHS                     folders that the tests need besides the system's

Starts Tadpole with embedded storage and a local forge, labels the issue, and shows each stage. Your repository is
cloned and never written to. The draft's page stays up until Ctrl-C; with --once the program ends, with exit code 0
only if a draft was opened. With --json each event is one line, and the last one names outcome and draft.
`,
  receive: `
Examples:
  tadpole receive deliveries/issues.labeled.json

Environment:
  as for start, except WEBHOOK_SECRET, HOST and PORT

The file holds a delivery as { "event": "issues", "id": "…", "payload": { … } }, or the payload alone in a file that
is named after its event. Ends when the run has ended, with exit code 0 unless it is faulted.
`,
  runs: `
Examples:
  tadpole runs
  tadpole runs --limit 100 --json

Environment:
  TADPOLE_DATA or DATABASE_URL, wherever the runs are kept. An embedded store can be read only while nothing else uses it.
`,
  doctor: `
Examples:
  tadpole doctor
  tadpole doctor --json

Environment:
  as for start. Parts whose variables are missing are told as such, and the others are checked all the same.

Exit code 0 when everything is there, 1 otherwise. Nothing is changed, and no secret is shown.
`,
} as const;
