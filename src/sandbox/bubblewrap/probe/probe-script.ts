/** What the probe tries from inside, beside what it reads. */
export interface ProbeTargets {
  /** In bash's form `tcp/HOST/PORT` or `udp/HOST/PORT`. */
  readonly connections: readonly string[];
  /** Paths of the machine that must not be there. */
  readonly paths: readonly string[];
}

const ATTEMPT_SECONDS = 3;

/**
 * Run by bash from the read-only system folders, with no start-up files. Arguments: connections, `--`, paths. Prints facts,
 * one a line: a key, a tab, a value. It judges nothing; what it could not find out is missing and counts as open.
 */
const PROBE_SCRIPT = `
say() { printf '%s\\t%s\\n' "$1" "$2"; }
join() { tr '\\n' ' ' | sed 's/ *$//'; }

say interfaces "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | join)"
say routes "$( { tail -n +2 /proc/net/route | cut -f1; sed 's/.* //' /proc/net/ipv6_route | grep -vx lo; } | sort -u | join)"
say sockets "$(tail -n +2 /proc/net/unix | wc -l)"
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
  said=$(timeout ${ATTEMPT_SECONDS} bash -c 'exec 9<>"/dev/$1"' bash "$1" 2>&1) && said=connected
  say "attempt $1" "$(printf '%s' "$said" | tail -n 1)"
  shift
done
shift
found=
for path do if [ -e "$path" ] || [ -L "$path" ]; then found="$found $path"; fi; done
say paths "$found"

for kind in user pid net ipc uts mnt cgroup; do say "namespace $kind" "$(readlink "/proc/self/ns/$kind")"; done
say environment "$(cat /proc/1/environ "/proc/$$/environ" | tr -s '\\0' | cut -z -d= -f1 | tr '\\0' '\\n' | sort -u | join)"
say processes "$(for entry in /proc/[0-9]*; do echo x; done | wc -l)"
say files "$(ls /proc/self/fd | join)"
for field in Uid Gid Groups CapInh CapPrm CapEff CapBnd CapAmb NoNewPrivs Seccomp; do
  say "status $field" "$(sed -n "s/^$field:[[:space:]]*//p" /proc/self/status | tr '\\t' ' ' | sed 's/ *$//')"
done
command -v unshare >/dev/null && say nested "$(unshare -U true 2>/dev/null && echo made || echo refused)"

writable=
for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches /proc/sysrq-trigger; do
  if [ -w "$file" ]; then writable="$writable $file"; fi
done
say settings "$writable"
writable=
for folder in / /usr /usr/bin /etc /dev /run /home /var /opt /sys /proc; do
  if (: > "$folder/.tadpole-probe") 2>/dev/null; then writable="$writable $folder"; rm -f "$folder/.tadpole-probe"; fi
done
say writable "$writable"
while read -r _ _ _ _ point options _; do say "mount $point" "$options"; done < /proc/self/mountinfo
say done yes
`;

/** The argv of a probe. */
export function probeArgv({ connections, paths }: ProbeTargets): readonly [string, ...string[]] {
  return ['/bin/bash', '--noprofile', '--norc', '-c', PROBE_SCRIPT, 'bash', ...connections, '--', ...paths];
}

/** Facts by key; of a key that came twice the last counts. */
export function parseFacts(text: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const line of text.split('\n')) {
    const tab = line.indexOf('\t');
    if (tab > 0) facts.set(line.slice(0, tab), line.slice(tab + 1).trim());
  }
  return facts;
}

/** Every mount point that a sandbox with these arguments may have; bwrap itself adds devices and covers parts of /proc. */
export function expectedMounts(args: readonly string[]): ReadonlySet<string> {
  const points = new Set([
    '/',
    '/proc',
    '/dev',
    '/dev/shm',
    '/dev/pts',
    '/proc/irq',
    '/proc/bus',
    '/proc/sys',
    '/proc/sysrq-trigger',
  ]);
  for (const device of ['null', 'zero', 'full', 'random', 'urandom', 'tty', 'console'])
    points.add(`/dev/${device}`);
  for (const [index, argument] of args.entries())
    if (/^--(?:ro-)?bind(?:-try)?$/.test(argument)) points.add(args[index + 2] ?? '');
  return points;
}
