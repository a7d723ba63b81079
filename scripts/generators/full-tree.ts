import type { Command } from "commander";
import { commandTree } from "../../src/cli/parse/tree.ts";
import type { Shell } from "../../src/cli/shell.ts";

/** All commands with their options, to describe them. They cannot be run. */
export function fullTree(): Promise<Command> {
  const stream = { write: () => undefined };
  return commandTree({ env: {}, columns: null, out: stream, err: stream } as unknown as Shell);
}
