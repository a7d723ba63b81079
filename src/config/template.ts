import { printValue } from "./option.ts";
import { allOptions } from "./settings.ts";

/**
 * The file that `--init-config` writes: every setting, commented out, with its default and
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
