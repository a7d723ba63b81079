import { allOptions } from "./settings.ts";

/**
 * The text that `--init-config` writes: every option, commented out, with its
 * default and what it does. Made from the table that reads the file, so the
 * two cannot drift apart.
 */
export function configTemplate(): string {
  const options = allOptions().map(
    ({ key, help, default: value }) => `# ${help}\n# ${key} = ${value}\n`,
  );
  return [
    "# Settings of raymond for this project (docs/configuration.md).\n" +
      "# Flags and RAYMOND_* variables go before what stands here.\n\n" +
      "[raymond]\n",
    ...options,
  ].join("\n");
}
