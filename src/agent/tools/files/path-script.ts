/**
 * Beginnings of the scripts that act on a path inside the sandbox; all that is needed there is sh, coreutils and
 * findutils. Each answers with NUL-ended fields on standard output, the first one a word of `FILE_PROBLEMS` or `ok`.
 * No path of the model's is ever opened on our side (T07).
 */

/** Sets p from $1: relative to the working directory, `~` expanded, never to be taken for an option. */
export const EXPAND_PATH = `
p=$1
case $p in '~') p=$HOME ;; '~/'*) p=$HOME/\${p#'~/'} ;; esac
case $p in /*) ;; *) p=./$p ;; esac
say() { printf '%s\\0' "$@"; }
fail() { say "$1"; exit 0; }
`;

/** Names the reason in an error message of the C library. */
export const NAME_REASON = `
reason() {
  case $1 in
    *'Permission denied'*) echo denied ;;
    *'Read-only file system'*) echo read_only ;;
    *'Not a directory'*) echo not_directory ;;
    *'Is a directory'*) echo directory ;;
    *'Too many levels of symbolic links'*) echo loop ;;
    *'File name too long'*) echo too_long ;;
    *'No space left'*) echo no_space ;;
    *'File too large'*) echo too_large ;;
    *'File exists'*) echo exists ;;
    *) echo "\${2:-missing}" ;;
  esac
}
`;

/** Refuses what is no readable regular file. */
export const CHECK_FILE = `
export LC_ALL=C
if [ -d "$p" ]; then fail directory; fi
if ! [ -e "$p" ]; then
  why=$(stat -L -- "$p" 2>&1 >/dev/null) || fail "$(reason "$why")"
  fail missing
fi
[ -f "$p" ] || fail special
[ -r "$p" ] || fail denied
`;
