import { SCRATCH, WORKSPACE } from '../sandbox/types.ts';
import { CACHE_FOLDER_PATTERNS, CACHE_FOLDERS } from './rubbish.ts';

/** Tools come from the system's read-only folders only, whatever the agent put in PATH, HOME or its shell's start-up files (T21). */
const TOOL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Lists the work tree: what `find` sees, the blob ids of all files of at most the given size, and the paths that the
 * tree's own ignore files name. The git directory is new and lies outside the work tree: nothing of the agent's `.git`
 * is read, and ids are of the bytes as they are. Any doubt ends it: a folder that can't be read must not pass for deleted.
 */
const LIST = `
set -eu
umask 077
dir=$1
shift
mkdir "$dir"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_DIR="$dir/git"
git init --quiet --bare --template=
git config core.bare false
cd ${WORKSPACE}
find . -xdev \\( -type d ! -perm -500 -o -type f ! -perm -400 \\) -exec chmod u+rwX {} \\;
find . "$@"
xargs -0 -r git hash-object --no-filters -- <"$dir/hashable" >"$dir/ids"
code=0
GIT_WORK_TREE=${WORKSPACE} git check-ignore --no-index --stdin -z <"$dir/paths" >"$dir/ignored" || code=$?
[ "$code" -le 1 ]
printf '%s %s %s\\n' "$(stat -c %s "$dir/list")" "$(stat -c %s "$dir/ids")" "$(stat -c %s "$dir/ignored")"
cat "$dir/list" "$dir/ids" "$dir/ignored"
rm -rf "$dir"
`;

const CAT = `
set -eu
cd ${WORKSPACE}
exec xargs -0 -r cat --
`;

function cleanShell(script: string, args: readonly string[]): [string, ...string[]] {
  return [
    '/usr/bin/env',
    '-i',
    `PATH=${TOOL_PATH}`,
    'HOME=/nonexistent',
    'LC_ALL=C',
    '/bin/sh',
    '-c',
    script,
    'tadpole',
    ...args,
  ];
}

/** Writes the bytes of the files that standard input names (each ended by NUL) one after the other. */
export const catArgv: [string, ...string[]] = cleanShell(CAT, []);

/** The call that lists the work tree. `scratchName` is a name that the agent can't have guessed. */
export function listArgv({
  scratchName,
  maxHashedBytes,
  tracks,
}: {
  readonly scratchName: string;
  readonly maxHashedBytes: number;
  /** Whether the base has files below a folder of that name. */
  readonly tracks: (folderName: RegExp) => boolean;
}): [string, ...string[]] {
  const dir = `${SCRATCH}/${scratchName}`;
  const pruned = [...CACHE_FOLDERS, ...CACHE_FOLDER_PATTERNS].filter((name) => !tracks(toRegExp(name)));
  const anyOf = pruned.flatMap((name, index) => [...(index === 0 ? [] : ['-o']), '-name', name]);
  const find = [
    ...['-xdev', '-mindepth', '1'],
    ...['(', '-name', '.git', '-fprintf', `${dir}/list`, 'g 0 0 %P\\0\\0', '-prune', ')'],
    ...['-o', '(', '-type', 'd', '(', ...anyOf, ')'],
    ...['-fprintf', `${dir}/list`, 'd 0 0 %P\\0\\0', '-prune', ')'],
    ...['-o', '(', '-type', 'f', '-fprintf', `${dir}/list`, 'f %m %s %P\\0\\0', '-fprint0', `${dir}/paths`],
    ...['-size', `-${maxHashedBytes + 1}c`, '-fprint0', `${dir}/hashable`, ')'],
    ...[
      '-o',
      '(',
      '-type',
      'l',
      '-fprintf',
      `${dir}/list`,
      'l %m %s %P\\0%l\\0',
      '-fprint0',
      `${dir}/paths`,
      ')',
    ],
  ];
  return cleanShell(LIST, [dir, ...find]);
}

function toRegExp(name: string): RegExp {
  return new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
}
