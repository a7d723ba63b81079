import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type pg from "pg";
import { errorCode } from "../../language/basics/error-code.ts";
import type { RaymondError } from "../../language/basics/errors.ts";
import { fleetErrors } from "../errors.ts";

/** Finds packages as this file would, whose place in what ships is another than in the source. */
const requireFrom = () => createRequire(path.join(import.meta.dirname, "here.js"));

/** The client of PostgreSQL. Throws a `fleet/not-installed` where it is not installed. */
export function loadPg(): typeof pg {
  return loadPackage("pg") as typeof pg;
}

/**
 * A package that only a fleet needs, as CommonJS has it: it is no part of what ships, and
 * nothing else loads it. Throws a `fleet/not-installed` where it is not installed.
 */
export function loadPackage(name: string): unknown {
  try {
    return requireFrom()(name);
  } catch (error) {
    if (findPackage(name) !== null || errorCode(error) !== "MODULE_NOT_FOUND") throw error;
    throw fleetErrors["fleet/not-installed"](name, installCommand(FLEET_PACKAGES), error);
  }
}

/** What is wrong with the packages that a fleet needs; null where all are installed. */
export function packagesProblem(): RaymondError | null {
  const missing = FLEET_PACKAGES.find((name) => findPackage(name) === null);
  return missing === undefined
    ? null
    : fleetErrors["fleet/not-installed"](missing, installCommand(FLEET_PACKAGES));
}

/** Those that a fleet cannot do without. */
const FLEET_PACKAGES = ["pg", "@dbos-inc/dbos-sdk"];

/** What installs these packages beside the raymond whose manifest this is, in the versions that it asks for. */
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

/** Where a package lies that is installed beside raymond; null where it is not. */
export function findPackage(name: string): string | null {
  try {
    return requireFrom().resolve(name);
  } catch {
    return null;
  }
}
