/** A jail for tools of the host that read foreign bytes: native code that a crafted file may take over. */

/** What a jailed tool may reach beside `/usr`; absolute paths, the same inside. */
export interface JailOptions {
  readonly read: readonly string[];
  readonly write?: readonly string[];
}

/**
 * Words before a command: it sees `/usr` read-only, an empty `/tmp` and what it is given, and nothing else of the host;
 * it has no network, no capability and no other process, and dies with us. Its variables are the caller's.
 */
export function jail({ read, write = [] }: JailOptions): string[] {
  return [
    ...['bwrap', '--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--uid', '65534', '--gid', '65534', '--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin'],
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ...['--tmpfs', '/tmp', '--dev-bind', '/dev/null', '/dev/null'],
    ...read.flatMap(path => ['--ro-bind', path, path]),
    ...write.flatMap(path => ['--bind', path, path]),
    ...['--chdir', '/', '--'],
  ];
}
