import { once } from "node:events";
import path from "node:path";
import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { isLoopback } from "../../../dashboard/server/access.ts";
import { type RunningServer, serve } from "../../../dashboard/server/serve.ts";
import type { FleetBoard } from "../../../inspect/fleet-board.ts";
import { packageFolder, packageProgram } from "../../../launch/package-folder.ts";
import { openInBrowser } from "../../../wire/system/browser.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT, runSelection } from "../../parse/options.ts";
import { VERSION } from "../../parse/version.ts";
import type { Shell } from "../../shell.ts";
import { SIGNALS } from "../../signals.ts";
import { EXIT } from "../../words/exit-codes.ts";
import { reportError } from "../../words/report-error.ts";
import { isFleetMeant, openFleetOf, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[folders...]", "Projects or state directories (default: this project)")
    .option("--port <port>", "Port to listen on (default: any free port)")
    .option("--open", "Open the dashboard in a browser")
    .option("--allow-control", "Let the page start, answer, stop and resume runs")
    .option(
      "--allow-remote-control",
      "Same, if --host is reachable by other machines (unencrypted)",
    )
    .option("--host <address>", "Address to listen on (default: 127.0.0.1)")
    .option(...JSON_OBJECT);
  runSelection(command).action(action(shell, serveCommand));
}

interface ServeCommandOptions extends WhichRuns {
  readonly folders: readonly string[];
  readonly port?: string;
  readonly host?: string;
  readonly open?: true;
  readonly allowControl?: true;
  readonly allowRemoteControl?: true;
  readonly json?: true;
}

export async function serveCommand(options: ServeCommandOptions, shell: Shell): Promise<number> {
  // Given folders are served, whatever the environment says.
  const which =
    options.folders.length > 0 ? { ...options, fleet: options.fleet === true } : options;
  if (!isFleetMeant(which, shell)) return show(options, undefined, shell);
  const { boardOf } = await import("../../../fleet/admin/board.ts");
  const fleet = await openFleetOf(shell);
  try {
    return await show(options, boardOf(fleet), shell);
  } finally {
    await fleet.close();
  }
}

async function show(
  options: ServeCommandOptions,
  board: FleetBoard | undefined,
  shell: Shell,
): Promise<number> {
  const { open, json } = options;
  const allowControl = options.allowControl === true || options.allowRemoteControl === true;
  const port = options.port === undefined ? undefined : portOf(options.port);
  const serving = await serve(
    {
      ...{ ...options, port, allowControl, board, version: VERSION },
      program: packageProgram(),
      page: path.join(packageFolder(), "dist", "dashboard"),
      onBug: (error) => reportError(error, shell.err.line, shell.style),
    },
    shell,
  );
  if (json === true) printJson(shell.out, servingJson(serving, allowControl));
  else for (const url of serving.urls) shell.out.line(url);
  await shell.out.flush();
  for (const line of words(serving, allowControl)) shell.err.line(line);
  if (open === true) await openInBrowser(serving.urls.at(-1) ?? "", shell);
  // A second signal ends the process at once.
  await Promise.race(SIGNALS.map((signal) => once(process, signal)));
  await serving.close();
  return EXIT.completed;
}

function portOf(given: string): number {
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw new BadFlagError("--port", given, "a number up to 65535, or 0 for any free port");
}

function servingJson({ urls, host, port, folders }: RunningServer, control: boolean): object {
  return { url: urls[0], urls, host, port, control, folders };
}

function words({ folders, host, urls }: RunningServer, allowControl: boolean): readonly string[] {
  const actions = "start, answer, stop and resume runs";
  const can = allowControl
    ? `The page can ${actions}.`
    : `The page is read-only. To let it ${actions}, add --allow-control.`;
  return [
    `Open ${urls.length > 1 ? "one of the addresses" : "the address"} above in a browser. Runs of: ${folders.join(", ")}.`,
    `${can} Press Ctrl-C to stop the dashboard. Runs continue.`,
    ...(isLoopback(host)
      ? []
      : [
          `warning: --host ${host} is reachable by other machines, and traffic is not encrypted: anyone on the network path can do what you can.`,
          "hint: Omit --host and use: ssh -L PORT:127.0.0.1:PORT",
        ]),
  ];
}
