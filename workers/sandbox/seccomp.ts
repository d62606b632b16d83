/** The system calls that no build needs and many kernel exploits begin with, as a filter for bwrap. */

/** AUDIT_ARCH_* of linux/audit.h, and the numbers of the refused calls, from the kernel's system call tables. */
const TABLES: Readonly<Record<string, readonly Table[]>> = {
  x64: [
    {
      audit: 0xc000003e,
      // The x32 numbers begin here: a second way to every call.
      highest: 0x3fffffff,
      clone: 56,
      unshare: 272,
      clone3: 435,
      refused: [
        165,
        166, // mount, umount2
        155,
        161, // pivot_root, chroot (capabilities are gone, but not needed either)
        246,
        320, // kexec_load, kexec_file_load
        248,
        249,
        250, // add_key, request_key, keyctl
        321, // bpf
        298, // perf_event_open
        308, // setns
        323, // userfaultfd
        175,
        176,
        313, // init_module, delete_module, finit_module
        167,
        168,
        169, // swapon, swapoff, reboot
        163,
        179, // acct, quotactl
        304, // open_by_handle_at
        425,
        426,
        427, // io_uring
        428,
        429,
        430,
        431,
        432,
        433,
        442, // the newer mount calls
        103, // syslog
      ],
    },
    {
      audit: 0x40000003,
      highest: 0xffffffff,
      clone: 120,
      unshare: 310,
      clone3: 435,
      refused: [
        21, 22, 52, 217, 61, 283, 286, 287, 288, 357, 336, 346, 374, 128, 129, 350, 87, 115, 88, 51, 131, 342,
        425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 103,
      ],
    },
  ],
  arm64: [
    {
      audit: 0xc00000b7,
      highest: 0xffffffff,
      clone: 220,
      unshare: 97,
      clone3: 435,
      refused: [
        40, 39, 41, 51, 104, 294, 217, 218, 219, 280, 241, 268, 282, 105, 106, 273, 224, 225, 142, 89, 60,
        265, 425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 116,
      ],
    },
  ],
};

interface Table {
  readonly audit: number;
  readonly highest: number;
  readonly clone: number;
  readonly unshare: number;
  readonly clone3: number;
  readonly refused: readonly number[];
}

/** chroot(2) by audit number: what installs packages needs it. */
const CHROOT: Readonly<Record<number, number>> = { 3221225534: 161, 1073741827: 61, 3221225655: 51 };
const CLONE_NEWUSER = 0x10000000;
const EPERM = 1;
const ENOSYS = 38;

/** Opcodes of linux/filter.h and answers of linux/seccomp.h. */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_SET = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000;
/** Offsets in struct seccomp_data; the low half of an argument on a little-endian machine. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/**
 * A BPF program (struct sock_filter[]) that refuses, with EPERM, mounting, keyrings, bpf, kexec, modules, io_uring,
 * and new user namespaces, which would give all of these back; null for processors without a table. ptrace stays
 * allowed: debuggers test themselves with it, and in a process-id namespace there is nobody else to trace.
 * `architecture` as Node names it. `root`: for package installation, which may chroot.
 */
export function seccompFilter(architecture: string, root: boolean): Buffer | null {
  const tables = TABLES[architecture];
  if (!tables) return null;
  const program: Instruction[] = [];
  for (const table of tables) {
    const body = checks(table, root);
    program.push([LOAD, 0, 0, ARCHITECTURE], [JUMP_EQUAL, 1, 0, table.audit], [RETURN, 0, 0, 0]);
    // Conditional jumps reach 255 instructions; a return in the false branch is replaced by a jump over the table.
    program[program.length - 1] = [0x05, 0, 0, body.length];
    program.push(...body);
  }
  // An architecture that the processor runs and no table knows.
  program.push([RETURN, 0, 0, REFUSE | ENOSYS]);
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, whenTrue, whenFalse, value], at) => {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(whenTrue, at * 8 + 2);
    bytes.writeUInt8(whenFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  });
  return bytes;
}

/** The checks for one architecture; each ends in a return. */
function checks(table: Table, root: boolean): Instruction[] {
  const refused = table.refused.filter(number => !(root && number === CHROOT[table.audit]));
  const program: Instruction[] = [[LOAD, 0, 0, NUMBER]];
  program.push([JUMP_GREATER, 0, 1, table.highest], [RETURN, 0, 0, REFUSE | ENOSYS]);
  // glibc falls back to clone when clone3 is unknown; the flags of clone3 lie in memory, where a filter can't look.
  program.push([JUMP_EQUAL, 0, 1, table.clone3], [RETURN, 0, 0, REFUSE | ENOSYS]);
  for (const number of refused) program.push([JUMP_EQUAL, 0, 1, number], [RETURN, 0, 0, REFUSE | EPERM]);
  for (const number of [table.clone, table.unshare]) {
    program.push(
      [JUMP_EQUAL, 0, 3, number],
      [LOAD, 0, 0, FIRST_ARGUMENT],
      [JUMP_SET, 0, 1, CLONE_NEWUSER],
      [RETURN, 0, 0, REFUSE | EPERM],
      [LOAD, 0, 0, NUMBER],
    );
  }
  program.push([RETURN, 0, 0, ALLOW]);
  return program;
}
