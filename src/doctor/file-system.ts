import { type Check, failure, ok, warning } from "../inspect/check.ts";
import { formatBytes } from "../language/basics/bytes.ts";

/** The `statfs` of the file system of the runs. */
export interface Volume {
  /** Its magic number, on Linux only. */
  readonly type: number;
  readonly freeBytes: number;
  /** Inodes; null if the file system does not count them. */
  readonly freeFiles: number | null;
}

export function checkFileSystem(type: number, platform: NodeJS.Platform): Check {
  return judge(platform === "linux" ? KINDS.get(type) : undefined);
}

/** The same on macOS. `mounts`: output of `/sbin/mount`. `folder`: a real path. */
export function checkMacVolume(mounts: string, folder: string): Check {
  const synced = SYNCED.find(([part]) => folder.includes(part));
  if (synced !== undefined) return judge(["synced", synced[1]]);
  return judge(MAC_KINDS.get(mountedType(mounts, folder) ?? ""));
}

/** The file system type of a folder, as `/sbin/mount` names it; null if it is not listed. */
export function mountedType(mounts: string, folder: string): string | null {
  const found = mounts.split("\n").flatMap((line) => {
    const [, place, type] = /^.*? on (\/.*) \(([\w.]+)[^()]*\)$/.exec(line) ?? [];
    if (place === undefined || type === undefined) return [];
    const holds = place === "/" || folder === place || folder.startsWith(`${place}/`);
    return holds ? [{ place, type }] : [];
  });
  const [nearest] = found.toSorted((a, b) => b.place.length - a.place.length);
  return nearest?.type ?? null;
}

function judge(known: readonly [Kind, string] | undefined): Check {
  if (known === undefined) return ok("disk", "a file system without known traps");
  const [kind, name] = known;
  switch (kind) {
    case "local":
      return ok("disk", name);
    case "memory":
      return warning(
        "disk",
        `Runs are kept on ${name}, in memory: they are gone after a reboot.`,
        PLACE,
      );
    case "container":
      return warning(
        "disk",
        `Runs are kept on ${name}: they go with the container.`,
        `Mount a volume there, or ${PLACE.charAt(0).toLowerCase()}${PLACE.slice(1)}`,
      );
    case "synced":
      return warning(
        "disk",
        `Runs are stored in ${name}, which synchronizes files between machines: it can restore an old state, and it can remove files from this disk that steps then wait for.`,
        PLACE,
      );
    case "unlinked":
      return warning(
        "disk",
        `Runs are stored on ${name}, which has no hard links: runs cannot be locked.`,
        PLACE,
      );
    case "network":
      return warning(
        "disk",
        `Runs are stored on ${name}, a network or shared file system: saved states may not survive a power loss, and raymond cannot detect whether a holder on another machine is alive.`,
        PLACE,
      );
  }
}

export function checkSpace({ freeBytes, freeFiles }: Omit<Volume, "type">): Check {
  const free = `${formatBytes(freeBytes)} free`;
  if (freeFiles === 0) {
    return failure("space", "No more files can be made on this disk.", "Delete files there.");
  }
  if (freeBytes < LEAST_BYTES) return failure("space", `Only ${free}.`, ROOM);
  if (freeBytes < LOW_BYTES) return warning("space", `Only ${free}.`, ROOM);
  return ok("space", free);
}

const MIB = 1024 * 1024;
/** A state file with its temporary copy, and some events. */
const LEAST_BYTES = 16 * MIB;
/** Debug files of a long run. */
const LOW_BYTES = 1024 * MIB;

const ROOM = "Make room: raymond prune deletes completed runs, --no-debug writes less.";
const PLACE = "Choose a place on a local disk with --state-dir.";

type Kind = "local" | "memory" | "container" | "network" | "synced" | "unlinked";

/** By the magic numbers of the kernel (`man statfs`). */
const KINDS: ReadonlyMap<number, readonly [Kind, string]> = new Map([
  [0xef53, ["local", "ext4"]],
  [0x9123683e, ["local", "btrfs"]],
  [0x58465342, ["local", "xfs"]],
  [0x2fc12fc1, ["local", "zfs"]],
  [0xf2f52010, ["local", "f2fs"]],
  [0x01021994, ["memory", "tmpfs"]],
  [0x858458f6, ["memory", "ramfs"]],
  [0x794c7630, ["container", "overlayfs"]],
  [0x6969, ["network", "NFS"]],
  [0x517b, ["network", "SMB"]],
  [0xff534d42, ["network", "CIFS"]],
  [0xfe534d42, ["network", "SMB 2"]],
  [0x01021997, ["network", "9p"]],
  [0x65735546, ["network", "FUSE"]],
  [0x00c36400, ["network", "Ceph"]],
  [0x2011bab0, ["unlinked", "exFAT"]],
  [0x4d44, ["unlinked", "FAT"]],
]);

/** By the names of `mount`. */
const MAC_KINDS: ReadonlyMap<string, readonly [Kind, string]> = new Map([
  ["apfs", ["local", "APFS"]],
  ["hfs", ["local", "HFS+"]],
  ["tmpfs", ["memory", "tmpfs"]],
  ["smbfs", ["network", "SMB"]],
  ["nfs", ["network", "NFS"]],
  ["afpfs", ["network", "AFP"]],
  ["webdav", ["network", "WebDAV"]],
  ["macfuse", ["network", "FUSE"]],
  ["osxfuse", ["network", "FUSE"]],
  ["fusefs", ["network", "FUSE"]],
  ["AppleVirtIOFS", ["network", "a folder shared with a virtual machine"]],
  ["exfat", ["unlinked", "exFAT"]],
  ["msdos", ["unlinked", "FAT"]],
]);

/** Folders that programs synchronize between machines. */
const SYNCED: readonly (readonly [part: string, name: string])[] = [
  ["/Library/Mobile Documents/", "iCloud Drive"],
  ["/Library/CloudStorage/", "a folder of a cloud service"],
];
