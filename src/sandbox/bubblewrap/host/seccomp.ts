import { endianness } from 'node:os';

/**
 * The system call filter of every sandbox, as the BPF program that `bwrap --seccomp` reads. Made by hand, since the list is
 * short and a native library would be the only one of its kind here. Everything is allowed but: other namespaces and
 * mounts, looking into other processes, kernel keys (they have no namespace), handles to files by number, kernel
 * interfaces with a bad record (bpf, perf, io_uring, userfaultfd), administration, typing into terminals, and socket
 * families other than unix, IPv4, IPv6 and netlink: vsock has no namespace and would reach a virtual machine's host.
 * Calls newer than this list answer "not implemented", and so does clone3, whose flags a filter can't see.
 */
interface Architecture {
  readonly audit: number;
  readonly clone: number;
  readonly unshare: number;
  readonly socket: readonly number[];
  readonly ioctl: number;
  readonly denied: readonly number[];
  /** First number of a second table of the same kernel (x32), if it has one. */
  readonly otherTable: number | null;
}

/** Same numbers everywhere: move_mount … fspick, pidfd_getfd, mount_setattr, quotactl_fd. */
const DENIED_EVERYWHERE = [428, 429, 430, 431, 432, 433, 438, 442, 443];
/** io_uring_setup, io_uring_enter, io_uring_register, clone3: programs have a second way where these are missing. */
const MISSING = [425, 426, 427, 435];
/** mseal is the last number that was looked at. */
const FIRST_UNKNOWN = 463;

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    unshare: 272,
    socket: [41, 53],
    ioctl: 16,
    otherTable: 0x40000000,
    denied: [
      // ptrace, syslog, vhangup, modify_ldt, pivot_root, adjtimex, chroot, acct, settimeofday … delete_module
      ...[101, 103, 153, 154, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176],
      // quotactl, lookup_dcookie, clock_settime, kexec_load, add_key, request_key, keyctl, perf_event_open
      ...[179, 212, 227, 246, 248, 249, 250, 298],
      // fanotify_init, name_to_handle_at, open_by_handle_at, clock_adjtime, setns, process_vm_readv, _writev
      ...[300, 303, 304, 305, 308, 310, 311],
      // kcmp, finit_module, kexec_file_load, bpf, userfaultfd
      ...[312, 313, 320, 321, 323],
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    unshare: 97,
    socket: [198, 199],
    ioctl: 29,
    otherTable: null,
    denied: [
      // lookup_dcookie, umount2, mount, pivot_root, chroot, vhangup, quotactl, acct
      ...[18, 39, 40, 41, 51, 58, 60, 89],
      // kexec_load, init_module, delete_module, clock_settime, syslog, ptrace, reboot, sethostname, setdomainname
      ...[104, 105, 106, 112, 116, 117, 142, 161, 162],
      // settimeofday, adjtimex, add_key, request_key, keyctl, swapon, swapoff, perf_event_open
      ...[170, 171, 217, 218, 219, 224, 225, 241],
      // fanotify_init, name_to_handle_at, open_by_handle_at, clock_adjtime, setns, process_vm_readv, _writev
      ...[262, 264, 265, 266, 268, 270, 271],
      // kcmp, finit_module, bpf, userfaultfd, kexec_file_load
      ...[272, 273, 280, 282, 294],
    ],
  },
};

/** CLONE_NEWTIME (0x80), NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const UNSHARE_NAMESPACES = 0x7e020080;
/** In clone, 0x80 is part of the exit signal's number. */
const CLONE_NAMESPACES = 0x7e020000;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** TIOCSTI, TIOCLINUX. */
const TERMINAL_INPUT = [0x5412, 0x541c];

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const errno = (code: number) => 0x00050000 | code;

/** One instruction of classic BPF: operation, jumps when true and when false, operand. */
type Instruction = readonly [operation: number, whenTrue: number, whenFalse: number, operand: number];

const NUMBER = 0;
const ARCHITECTURE = 4;
/** Offset of the low half of argument `index` (little-endian machines only). */
const argument = (index: number) => 16 + 8 * index;

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const skipUnlessEqual = (value: number, count: number): Instruction => [0x15, 0, count, value];
const skipUnlessAtLeast = (value: number, count: number): Instruction => [0x35, 0, count, value];
const skipUnlessAnyBit = (bits: number, count: number): Instruction => [0x45, 0, count, bits];

/** The rule's body for one call number; what follows the number's test always ends in an answer. */
function rule(number: number, body: readonly Instruction[]): Instruction[] {
  return [skipUnlessEqual(number, body.length), ...body];
}

function program(arch: Architecture): Instruction[] {
  const families = SOCKET_FAMILIES.flatMap((family) => rule(family, [answer(ALLOW)]));
  const inputs = TERMINAL_INPUT.flatMap((request) => rule(request, [answer(errno(EPERM))]));
  const unlessFlags = (flags: number) => [
    load(argument(0)),
    skipUnlessAnyBit(flags, 1),
    answer(errno(EPERM)),
    answer(ALLOW),
  ];
  const otherTable =
    arch.otherTable === null ? [] : [skipUnlessAtLeast(arch.otherTable, 1), answer(errno(ENOSYS))];
  return [
    load(ARCHITECTURE),
    ...[skipUnlessEqual(arch.audit, 1), [0x05, 0, 0, 1] as const, answer(KILL_PROCESS)],
    load(NUMBER),
    ...otherTable,
    ...[skipUnlessAtLeast(FIRST_UNKNOWN, 1), answer(errno(ENOSYS))],
    ...MISSING.flatMap((number) => rule(number, [answer(errno(ENOSYS))])),
    ...[...DENIED_EVERYWHERE, ...arch.denied].flatMap((number) => rule(number, [answer(errno(EPERM))])),
    ...rule(arch.clone, unlessFlags(CLONE_NAMESPACES)),
    ...rule(arch.unshare, unlessFlags(UNSHARE_NAMESPACES)),
    ...arch.socket.flatMap((number) =>
      rule(number, [load(argument(0)), ...families, answer(errno(EAFNOSUPPORT))]),
    ),
    ...rule(arch.ioctl, [load(argument(1)), ...inputs, answer(ALLOW)]),
    answer(ALLOW),
  ];
}

/** The filter's bytes for a kind of processor, or null for one whose call numbers are not known here. */
export function seccompFilter(architecture: NodeJS.Architecture): Uint8Array | null {
  const arch = ARCHITECTURES[architecture];
  if (arch === undefined || endianness() !== 'LE') return null;
  const instructions = program(arch);
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [operation, whenTrue, whenFalse, operand]] of instructions.entries()) {
    bytes.writeUInt16LE(operation, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand, index * 8 + 4);
  }
  return bytes;
}
