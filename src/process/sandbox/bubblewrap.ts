/** The paths of a sandboxed process; absolute, links resolved. */
export interface SandboxPaths {
  readonly cwd: string;
  /** Must be visible to the process, also below folders that are hidden. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Never writable, also below a writable folder. */
  readonly protected: readonly string[];
  /** Folders that exist and are replaced by empty ones. */
  readonly hidden: readonly string[];
}

/**
 * The folders that a sandbox replaces by empty ones if they exist: temporary files of other
 * processes, and the sockets of services such as Docker and D-Bus, which would execute commands
 * outside of the sandbox.
 */
export const HIDDEN_FOLDERS = ["/tmp", "/var/tmp", "/run"] as const;

/**
 * The arguments of bubblewrap before the command (docs/sandbox.md, "Sandbox"): everything is
 * read-only except `writable` and an empty /tmp, and other processes are invisible. The process
 * stays in its process group, so that raymond's signals reach it.
 */
export function bubblewrapArgs(paths: SandboxPaths, network: boolean): readonly string[] {
  return [
    ...["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...["--unshare-cgroup-try", "--cap-drop", "ALL"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...paths.hidden.flatMap((folder) => ["--tmpfs", folder]),
    ...[paths.cwd, ...paths.readable].flatMap((path) => ["--ro-bind", path, path]),
    ...paths.writable.flatMap((path) => ["--bind", path, path]),
    ...paths.protected.flatMap((path) => ["--ro-bind", path, path]),
    ...["--setenv", "TMPDIR", "/tmp", "--chdir", paths.cwd, "--"],
  ];
}
