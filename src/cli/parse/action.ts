import type { Command } from "commander";
import { inFleet, type WhichRuns } from "../commands/fleet/in-fleet.ts";
import type { Shell } from "../shell.ts";

type Act<Options> = (options: Options, shell: Shell) => Promise<unknown>;

/** An action of commander: calls `act` with the options, and the arguments by name. A number is the exit code. */
export function action<Options>(shell: Shell, act: Act<Options>) {
  return async (...values: readonly unknown[]): Promise<void> => {
    const command = values.at(-1) as Command;
    const named = command.registeredArguments.map((each, at) => [each.name(), values[at]] as const);
    const options = { ...command.opts(), ...Object.fromEntries(named) } as Options;
    const code = await act(options, shell);
    if (typeof code === "number") shell.exit(code);
  };
}

/** The same on the selected runs: those of a fleet, or those of this machine. */
export function actionOnRuns<Options>(shell: Shell, act: Act<Options>) {
  return action<Options & WhichRuns & { readonly follow?: true }>(shell, (options) =>
    inFleet(options, shell, (at) => act(options, at), options.follow === true),
  );
}
