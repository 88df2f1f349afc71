import { foldSegment } from './fold.ts';

/** What people build with, or steer people and agents with: never the agent's to change, wherever it lies (T10, T15). */
const PROTECTED: ReadonlyMap<string, string> = new Map([
  ...[
    '.forgejo',
    '.circleci',
    '.woodpecker',
    '.buildkite',
    '.semaphore',
    '.teamcity',
    '.azure-pipelines',
    '.drone.yml',
    '.drone.star',
    '.travis.yml',
    '.woodpecker.yml',
    '.woodpecker.yaml',
    '.appveyor.yml',
    'appveyor.yml',
    '.cirrus.yml',
    'azure-pipelines.yml',
    'azure-pipelines.yaml',
    'bitbucket-pipelines.yml',
    'cloudbuild.yaml',
    'jenkinsfile',
  ].map((name) => [name, 'is CI configuration'] as const),
  ['codeowners', 'says who must review'],
  ...['.tadpole.yml', '.tadpole.yaml'].map((name) => [name, "is Tadpole's policy"] as const),
  ...['agents.md', 'claude.md', 'gemini.md', '.mcp.json', '.cursorrules', '.windsurfrules'].map(
    (name) => [name, 'instructs coding agents'] as const,
  ),
]);

/** Short names that Windows gives to `.git`, `.gitmodules` and their kin. */
const SHORT_GIT_NAME = /^gi[0-9a-z]{1,4}~\d/;

/** Why a path must not be changed at all, whatever the base has there; null when it may. */
export function findProtectedName(path: string): string | null {
  for (const segment of path.split(/[/\\]/)) {
    const folded = foldSegment(segment);
    if (folded.startsWith('.git') || SHORT_GIT_NAME.test(folded)) return 'belongs to git or the forge';
    if (/^jenkinsfile\b/.test(folded)) return 'is CI configuration';
    const reason = PROTECTED.get(folded);
    if (reason !== undefined) return reason;
  }
  return null;
}
