/** The system call filter, run by a small interpreter of BPF. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seccompFilter } from '../../../workers/sandbox/seccomp.ts';

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const AMD64 = 0xc000003e;
const I386 = 0x40000003;
const ARM64 = 0xc00000b7;

/** What the kernel would answer to a system call. */
function decide(program: Buffer, audit: number, number: number, argument = 0): number {
  const data = new Map([
    [0, number],
    [4, audit],
    [16, argument],
  ]);
  let accumulator = 0;
  for (let at = 0; ; at++) {
    assert.ok((at + 1) * 8 <= program.length, 'ran out of the program');
    const code = program.readUInt16LE(at * 8);
    const whenTrue = program.readUInt8(at * 8 + 2);
    const whenFalse = program.readUInt8(at * 8 + 3);
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data.get(value) ?? assert.fail(`offset ${value}`);
    else if (code === 0x05) at += value;
    else if (code === 0x06) return value;
    else if (code === 0x15) at += accumulator === value ? whenTrue : whenFalse;
    else if (code === 0x25) at += accumulator > value ? whenTrue : whenFalse;
    else if (code === 0x45) at += (accumulator & value) !== 0 ? whenTrue : whenFalse;
    else assert.fail(`opcode ${code}`);
  }
}

test('calls of ordinary programs pass', () => {
  const filter = seccompFilter('x64', false)!;
  for (const number of [0, 1, 2, 9, 59, 61, 101, 231, 257, 262, 302, 318, 334, 439]) {
    assert.equal(decide(filter, AMD64, number), ALLOW, String(number));
  }
  assert.equal(decide(filter, AMD64, 56, 0x01200011), ALLOW);
  assert.equal(decide(filter, I386, 11), ALLOW);
  assert.equal(decide(seccompFilter('arm64', false)!, ARM64, 221), ALLOW);
});

test('mount, keyctl, bpf, kexec and their like are refused on each architecture', () => {
  const filter = seccompFilter('x64', false)!;
  for (const number of [165, 166, 155, 246, 250, 321, 320, 308, 425, 428, 442]) {
    assert.equal(decide(filter, AMD64, number), EPERM, String(number));
  }
  for (const number of [21, 52, 288, 357, 283])
    assert.equal(decide(filter, I386, number), EPERM, String(number));
  const arm = seccompFilter('arm64', false)!;
  for (const number of [40, 219, 280, 104]) assert.equal(decide(arm, ARM64, number), EPERM, String(number));
});

test('a new user namespace is refused by every call that makes one', () => {
  const filter = seccompFilter('x64', false)!;
  assert.equal(decide(filter, AMD64, 56, 0x10000011), EPERM);
  assert.equal(decide(filter, AMD64, 272, 0x10000000), EPERM);
  assert.equal(decide(filter, AMD64, 272, 0x40000000), ALLOW);
  // Its flags lie in memory: glibc falls back to clone when the call is unknown.
  assert.equal(decide(filter, AMD64, 435), ENOSYS);
});

test('the second numbering of calls and unknown architectures are no way around', () => {
  const filter = seccompFilter('x64', false)!;
  assert.equal(decide(filter, AMD64, 0x40000000 + 165), ENOSYS);
  assert.equal(decide(filter, ARM64, 40), ENOSYS);
  assert.equal(seccompFilter('mips', false), null);
});

test('package installation may chroot, builds may not', () => {
  assert.equal(decide(seccompFilter('x64', true)!, AMD64, 161), ALLOW);
  assert.equal(decide(seccompFilter('x64', false)!, AMD64, 161), EPERM);
  assert.equal(decide(seccompFilter('x64', true)!, AMD64, 165), EPERM);
});
