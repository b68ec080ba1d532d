// The system calls a program in the sandbox may not make, as a seccomp filter for bubblewrap.
// Namespaces and rlimits do the main work. This closes what they leave open: memory that no rlimit counts
// (memfd, System V shared memory), what outlives the process that made it (message queues, semaphores), new namespaces, sockets that a network namespace does not hold (vsock),
// looking into other processes, and rarely used doors into the kernel.

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refuse = (errno: number) => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const FIRST_ARGUMENT_AT = 16;
/** Every CLONE_NEW… flag that `clone` takes. */
const NEW_NAMESPACES = 0x7e020000;
const ALLOWED_SOCKETS = [1, 2, 10]; // AF_UNIX, AF_INET, AF_INET6: all three end inside the network namespace
const X32_CALLS_FROM = 0x40000000;

interface Numbers {
  architecture: number;
  clone: number;
  socket: number;
  refused: number[];
}

// The same on every architecture: io_uring (425–427), the mount calls of 2019 (428–433), pidfd_getfd,
// mount_setattr, memfd_secret.
const COMMON = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 447];
const CLONE3 = 435;

const NUMBERS: Record<string, Numbers> = {
  x64: {
    architecture: 0xc000003e,
    clone: 56,
    socket: 41,
    // shmget semget msgget mq_open ptrace pivot_root chroot mount umount2 swapon reboot init_module quotactl kexec_load add_key
    // request_key keyctl unshare vmsplice perf_event_open name_to_handle_at open_by_handle_at setns
    // process_vm_readv process_vm_writev kcmp finit_module memfd_create bpf userfaultfd
    refused: [
      29, 64, 68, 240, 101, 155, 161, 165, 166, 167, 169, 175, 179, 246, 248, 249, 250, 272, 278, 298, 303,
      304, 308, 310, 311, 312, 313, 319, 321, 323,
    ],
  },
  arm64: {
    architecture: 0xc00000b7,
    clone: 220,
    socket: 198,
    refused: [
      194, 190, 186, 180, 117, 41, 51, 40, 39, 224, 142, 105, 60, 104, 217, 218, 219, 97, 75, 241, 264, 265,
      268, 270, 271, 272, 273, 279, 280, 282,
    ],
  },
};

/** The filter as bubblewrap reads it; undefined where we do not know the numbers of the system calls. */
export function createSeccompFilter(architecture: string = process.arch): Buffer | undefined {
  const numbers = NUMBERS[architecture];
  if (numbers === undefined) return undefined;
  const program: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [JUMP_EQUAL, 1, 0, numbers.architecture],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER_AT],
    [JUMP_AT_LEAST, 0, 1, X32_CALLS_FROM],
    [RETURN, 0, 0, KILL],
  ];
  for (const number of [...numbers.refused, ...COMMON]) {
    program.push([JUMP_EQUAL, 0, 1, number], [RETURN, 0, 0, refuse(EPERM)]);
  }
  // The flags of clone3 are behind a pointer, which a filter cannot read: libraries fall back to clone.
  program.push([JUMP_EQUAL, 0, 1, CLONE3], [RETURN, 0, 0, refuse(ENOSYS)]);
  program.push(
    [JUMP_EQUAL, 0, 4, numbers.clone],
    [LOAD, 0, 0, FIRST_ARGUMENT_AT],
    [JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES],
    [RETURN, 0, 0, refuse(EPERM)],
    [RETURN, 0, 0, ALLOW],
  );
  program.push([JUMP_EQUAL, 0, ALLOWED_SOCKETS.length + 2, numbers.socket], [LOAD, 0, 0, FIRST_ARGUMENT_AT]);
  ALLOWED_SOCKETS.forEach((family, i) => {
    program.push([JUMP_EQUAL, ALLOWED_SOCKETS.length - i, 0, family]);
  });
  program.push([RETURN, 0, 0, refuse(EAFNOSUPPORT)], [RETURN, 0, 0, ALLOW]);

  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4);
  });
  return bytes;
}
