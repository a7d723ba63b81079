import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { configPath } from "../../config/load.ts";
import { configTemplate } from "../../config/template.ts";
import { errorCode } from "../../core/error-code.ts";
import { ConfigExistsError } from "../../runs/errors.ts";
import { stateRoot } from "../../runs/wire/stores.ts";
import { orDiskError } from "../../stores/errors.ts";
import type { Shell } from "../shell.ts";

/**
 * `raymond --init-config`: writes every option, commented out, where the
 * configuration would be read. Throws ConfigExistsError rather than overwrite.
 */
export async function initConfigCommand(
  options: { readonly stateDir?: string },
  shell: Shell,
): Promise<void> {
  const file = configPath(await stateRoot(options, shell));
  await orDiskError("write", file, async () => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    try {
      await writeFile(file, configTemplate(), { flag: "wx" });
    } catch (error) {
      if (errorCode(error) === "EEXIST") throw new ConfigExistsError(file);
      // Half a file would be refused the next time.
      await rm(file, { force: true });
      throw error;
    }
  });
  shell.err.line(
    `Wrote ${file}. Every option is commented out: take away the # of those you want.`,
  );
}
