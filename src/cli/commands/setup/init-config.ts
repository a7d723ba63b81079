import { initConfig } from "../../../author/init-config.ts";
import { schemasFolder } from "../../../launch/package-folder.ts";
import type { Shell } from "../../shell.ts";

export async function initConfigCommand(
  options: { readonly stateDir?: string },
  shell: Shell,
): Promise<void> {
  const file = await initConfig(options, schemasFolder(), shell);
  shell.err.line(`Wrote ${file}. All options are commented out. Uncomment the ones you need.`);
}
