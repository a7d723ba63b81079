import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type pg from "pg";
import { errorCode } from "../../language/basics/error-code.ts";
import type { RaymondError } from "../../language/basics/errors.ts";
import { fleetErrors } from "../errors.ts";

/** Resolves packages from this folder: the built file is elsewhere. */
const requireFrom = () => createRequire(path.join(import.meta.dirname, "here.js"));

/** Throws `fleet/not-installed`. */
export function loadPg(): typeof pg {
  return loadPackage("pg") as typeof pg;
}

/** Loads a package that only fleets need and that the build does not contain. Throws `fleet/not-installed`. */
export function loadPackage(name: string): unknown {
  try {
    return requireFrom()(name);
  } catch (error) {
    if (findPackage(name) !== null || errorCode(error) !== "MODULE_NOT_FOUND") throw error;
    throw fleetErrors["fleet/not-installed"](name, installCommand(FLEET_PACKAGES), error);
  }
}

/** Null if all packages of the fleet are installed. */
export function packagesProblem(): RaymondError | null {
  const missing = FLEET_PACKAGES.find((name) => findPackage(name) === null);
  return missing === undefined
    ? null
    : fleetErrors["fleet/not-installed"](missing, installCommand(FLEET_PACKAGES));
}

const FLEET_PACKAGES = ["pg", "@dbos-inc/dbos-sdk"];

/** The command that installs the required versions of packages next to raymond. */
export function installCommand(
  names: readonly string[],
  manifest: string = requireFrom().resolve("raymond/package.json"),
): string {
  const { peerDependencies } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const words = names.map((name) => `${name}@${(peerDependencies[name] ?? "").replace("^", "")}`);
  const home = path.dirname(manifest);
  const parent = path.dirname(home);
  const project = path.basename(parent) === "node_modules" ? path.dirname(parent) : home;
  const where = existsSync(path.join(project, "package.json")) ? `--prefix ${project}` : "--global";
  return `npm install ${where} ${words.join(" ")}`;
}

/** The entry file of an installed package, or null. */
export function findPackage(name: string): string | null {
  try {
    return requireFrom().resolve(name);
  } catch {
    return null;
  }
}
