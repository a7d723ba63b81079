import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { SCHEMA_VERSION } from "../../../src/fleet/store/migrations.ts";
import { STATE_VERSION } from "../../../src/storage/codec/upgrade.ts";
import { ROOT } from "../place.ts";

/** The version that a {@link newerBuild} reports. */
export const NEWER = "999.0.0";

/**
 * Builds the next version of raymond from a copy of this one, with increased versions of the package, the state
 * file and the database schema. Resolves with the path of its command line.
 */
export async function newerBuild(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-newer-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const part of ["src", "scripts", "package.json", "tsconfig.json"]) {
    await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true });
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  const changes = [
    ["package.json", /"version": "[^"]*"/, `"version": "${NEWER}"`],
    ["src/machine/moves/new-run.ts", /version: \d+,/, `version: ${NEXT_STATE},`],
    ["src/storage/codec/upgrade.ts", /STATE_VERSION = \d+/, `STATE_VERSION = ${NEXT_STATE}`],
    [
      "src/storage/codec/upgrade.ts",
      /UPGRADES: readonly Upgrade\[\] = \[\]/,
      "UPGRADES: readonly Upgrade[] = [(json) => json]",
    ],
    ["src/fleet/store/migrations.ts", /\n\];\n/, `\n  ${MIGRATION},\n];\n`],
  ] as const;
  for (const [file, from, to] of changes) {
    const place = path.join(folder, file);
    const text = await readFile(place, "utf8");
    if (!from.test(text)) throw new Error(`${file} has no match for ${String(from)}`);
    await writeFile(place, text.replace(from, to));
  }
  const words = ["scripts/build.mjs", "--no-types", "--entry=src/cli/main.ts"];
  await promisify(execFile)(process.execPath, words, { cwd: folder });
  return path.join(folder, "dist", "cli", "main.cjs");
}

const NEXT_STATE = String(STATE_VERSION + 1);
const MIGRATION = `{ version: ${String(SCHEMA_VERSION + 1)}, about: "the next version", sql: "ALTER TABLE raymond.runs ADD COLUMN next text" }`;
