import { printValue } from "./option.ts";
import { allOptions } from "./settings.ts";

/**
 * The text that `--init-config` writes: every option, commented out, with its
 * default and what it does. Made from the table that reads the file, so the
 * two cannot drift apart.
 */
export function configTemplate(): string {
  const options = allOptions().map(
    (option) => `# ${option.help}\n# ${option.key} = ${printValue(option, option.default)}\n`,
  );
  return [
    "# Settings of raymond for this project (docs/configuration.md).\n" +
      "# Flags and RAYMOND_* variables go before what stands here.\n\n" +
      "[raymond]\n",
    ...options,
  ].join("\n");
}
