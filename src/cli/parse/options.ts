import { type Command, InvalidArgumentError, type Option } from "commander";
import { inFleet, type WhichRuns } from "../commands/fleet/in-fleet.ts";
import type { Shell } from "../shell.ts";

// Options and arguments that mean the same in every command.

export const JSON_OBJECT = ["--json", "Print one JSON object"] as const;
export const JSON_LINES = ["--json", "Print one JSON object per line"] as const;
export const STATE_DIR = [
  "--state-dir <dir>",
  "Directory of the runs (default: .raymond)",
] as const;
export const TAKE_OVER = [
  "--take-over",
  "Treat the owner of the run as dead if it cannot be checked from here",
] as const;
export const TRUST_PROJECT = [
  "--trust-project",
  "Trust the files of the project, as they are now",
] as const;
export const IGNORE_PROJECT_SETTINGS = [
  "--ignore-project-settings",
  "Run the agent without the project's hooks, MCP servers and permissions",
] as const;
export const FLEET_URL = [
  "--url <url>",
  "Database of the fleet, postgresql://… (default: RAYMOND_FLEET)",
] as const;

/** Options that have a `--no-` form: the help shows both as `--[no-]debug`. */
export const SWITCHES = new WeakSet<Option>();

export const WORKFLOW_HELP = "Folder, zip archive, .yaml file or state file";
export const RUN_HELP =
  "Run ID, a unique prefix, its last six characters, the path of its state file, or latest";

/** Adds `[run]`, which is the latest run by default. */
export function runArgument(command: Command): Command {
  return command.argument("[run]", RUN_HELP, "latest");
}

/** Options of a command that works on runs of this project and on those of a fleet. */
export function runSelection(command: Command): Command {
  return command
    .option(...STATE_DIR)
    .option("--fleet", "Use the runs of the fleet that RAYMOND_FLEET names (default if it is set)")
    .option("--no-fleet", "Use the runs of this project");
}

/** Options of a command that does not support fleets. `--fleet` is known, so that its error says what to do. */
export function localRunSelection(command: Command): Command {
  return command
    .option(...STATE_DIR)
    .addOption(command.createOption("--fleet").hideHelp())
    .option("--no-fleet", "Use the runs of this project even if RAYMOND_FLEET is set");
}

/** Examples below the help of a command: calls and their effects. */
export function examples(...rows: readonly (readonly [call: string, text: string])[]): string {
  const width = Math.max(...rows.map(([call]) => call.length));
  const lines = rows.map(([call, text]) => `  ${call.padEnd(width)}  ${text}`);
  return ["", "Examples:", ...lines].join("\n");
}

/** An argument that must not be empty: an unset variable of a shell must not select the current folder. */
export function notEmpty(value: string): string {
  if (value !== "") return value;
  throw new InvalidArgumentError("a path; . is the current folder");
}

/** The same for several paths. */
export function notEmptyEach(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, notEmpty(value)];
}

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
