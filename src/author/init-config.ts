import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { configPath } from "../config/load.ts";
import { printValue } from "../config/option.ts";
import { allOptions } from "../config/settings.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { orDiskError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { type Place, stateRoot } from "../wire/stores.ts";
import { authorErrors } from "./errors.ts";
import { tomlSchemaLine } from "./schema-place.ts";

/**
 * Writes a configuration file with all options commented out, and returns its path. `schemas`:
 * folder of the shipped schemas. Rejects with `config/exists` if the file exists.
 */
export async function initConfig(place: Place, schemas: string, caller: Caller): Promise<string> {
  const file = configPath(await stateRoot(place, caller));
  await orDiskError("write", file, async () => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    try {
      await writeFile(file, configFile(schemas, file), {
        flag: "wx",
        mode: 0o600,
      });
    } catch (error) {
      if (errorCode(error) === "EEXIST") throw authorErrors["config/exists"](file);
      // An incomplete file would be refused the next time.
      await rm(file, { force: true });
      throw error;
    }
  });
  return file;
}

/** The text of the file `file` that `--init-config` writes. */
export function configFile(schemas: string, file: string): string {
  return `${tomlSchemaLine(schemas, file)}${configTemplate()}`;
}

/**
 * The settings of the file that `--init-config` writes: every setting, commented out, with its default and
 * description. Generated from the option table, so that the two cannot diverge.
 */
export function configTemplate(): string {
  const options = allOptions().map(
    (option) => `# ${option.help}\n# ${option.key} = ${printValue(option, option.default)}\n`,
  );
  return [
    "# Settings of raymond for this project (docs/configuration.md). All are commented out.\n" +
      "# Flags and RAYMOND_* variables override this file.\n\n" +
      "[raymond]\n",
    ...options,
  ].join("\n");
}
