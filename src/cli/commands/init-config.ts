import { schemasFolder } from "../../launch/package-folder.ts";
import { initConfig } from "../../runs/init-config.ts";
import type { Shell } from "../shell.ts";

/** `raymond --init-config`: writes a configuration of defaults. */
export async function initConfigCommand(
  options: { readonly stateDir?: string },
  shell: Shell,
): Promise<void> {
  const file = await initConfig(options, schemasFolder(), shell);
  shell.err.line(
    `Wrote ${file}. Every option is commented out: take away the # of those you want.`,
  );
}
