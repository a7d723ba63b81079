import { foldersAround, isBelow } from "../../files/paths.ts";

/** The paths of a sandboxed process; absolute, links resolved. They exist. */
export interface SandboxPaths {
  readonly cwd: string;
  /** Must be visible to the process, also below folders that are hidden. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Never writable, also below a writable folder. */
  readonly protected: readonly string[];
  /** Folders that are replaced by empty ones. */
  readonly hidden: readonly string[];
  /** Replaced by empty ones, and protected. Those that do not exist are created. */
  readonly masked: readonly MaskedPath[];
}

export interface MaskedPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * The folders that a sandbox replaces by empty ones if they exist: temporary files of other
 * processes, and the sockets of services such as Docker and D-Bus, which would execute commands
 * outside of the sandbox.
 */
export const HIDDEN_FOLDERS = ["/tmp", "/var/tmp", "/run"] as const;

/** The folders that bubblewrap provides itself. */
export const SYSTEM_FOLDERS = ["/proc", "/dev"] as const;

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
    ...["--ro-bind", "/", "/"],
    ...mountsOf(paths).flatMap(({ args }) => args),
    ...["--setenv", "TMPDIR", "/tmp", "--chdir", paths.cwd, "--"],
  ];
}

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

/**
 * In the order of mounting. A mount covers everything below its path, so parents come before their
 * content: a path cannot cover a hidden folder inside it. Of the mounts of one path, the last one
 * counts: a hidden folder stays hidden.
 */
function mountsOf(paths: SandboxPaths): readonly Mount[] {
  const { cwd, readable, writable, protected: kept, hidden, masked } = paths;
  const system = [
    { path: "/dev", args: ["--dev", "/dev"] },
    { path: "/proc", args: ["--proc", "/proc"] },
  ];
  const isIn = (folders: readonly string[], place: string) =>
    folders.some((folder) => isBelow(folder, place));
  const outermost = kept.filter(
    (place) => !kept.some((each) => each !== place && isBelow(each, place)),
  );
  const changed = writable.filter((place) => !isIn(outermost, place));
  const shown = [cwd, ...readable].filter((place) => isIn(hidden, place) && !isIn(changed, place));
  const fixed = [...outermost, ...masked.map((each) => each.path)];
  const mounts: readonly Mount[] = [
    ...shown.map((place) => bind("--ro-bind", place)),
    ...fixed.flatMap((place) => foldersAround(place, changed)).map((each) => bind("--bind", each)),
    ...changed.map((place) => bind("--bind", place)),
    ...outermost.map((place) => bind("--ro-bind", place)),
    ...masked.map(({ path: place, isFolder }) =>
      isFolder ? emptyFolder(place) : bind("--ro-bind", place, "/dev/null"),
    ),
    ...system,
    ...hidden.map(emptyFolder),
  ];
  const last = new Map(mounts.map((mount) => [mount.path, mount]));
  return [...last.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path));
}

function bind(option: "--bind" | "--ro-bind", place: string, source = place): Mount {
  return { path: place, args: [option, source, place] };
}

function emptyFolder(place: string): Mount {
  return { path: place, args: ["--tmpfs", place] };
}

function depthOf(place: string): number {
  return place === "/" ? 0 : place.split("/").length;
}
