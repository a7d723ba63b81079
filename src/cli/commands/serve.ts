import path from "node:path";
import { BadFlagError } from "../../config/errors.ts";
import { isLoopback } from "../../dashboard/door.ts";
import { type Serving, serve } from "../../dashboard/serve.ts";
import { packageFolder } from "../../launch/package-folder.ts";
import type { FleetBoard } from "../../runs/fleet-board.ts";
import { openInBrowser } from "../../runs/wire/browser.ts";
import { EXIT } from "../exit-codes.ts";
import { isFleetMeant, openFleetOf, type WhichRuns } from "../in-fleet.ts";
import { printJson } from "../output.ts";
import { reportError } from "../report-error.ts";
import type { Shell } from "../shell.ts";
import { thisProgram } from "../this-program.ts";
import { VERSION } from "../version.ts";

interface ServeCommandOptions extends WhichRuns {
  readonly folders: readonly string[];
  readonly port?: string;
  readonly host?: string;
  readonly open?: true;
  readonly allowControl?: true;
  readonly allowRemoteControl?: true;
  readonly json?: true;
}

/** `raymond serve`: shows runs in a browser, until a signal ends it. */
export async function serveCommand(options: ServeCommandOptions, shell: Shell): Promise<number> {
  // Folders that are named are meant, whatever the environment says.
  const which =
    options.folders.length > 0 ? { ...options, fleet: options.fleet === true } : options;
  if (!isFleetMeant(which, shell)) return show(options, undefined, shell);
  const { boardOf } = await import("../../fleet/board.ts");
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
  const { folders, host, open, json, stateDir, allowRemoteControl } = options;
  const allowControl = options.allowControl === true || allowRemoteControl === true;
  const port = options.port === undefined ? undefined : portOf(options.port);
  const serving = await serve(
    {
      ...{
        folders,
        host,
        port,
        allowControl,
        allowRemoteControl,
        stateDir,
        board,
        version: VERSION,
      },
      program: thisProgram(),
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
  await endOfProcess();
  await serving.close();
  return EXIT.completed;
}

function portOf(given: string): number {
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw new BadFlagError("--port", given, "a number up to 65535; 0 is any that is free");
}

function servingJson({ urls, host, port, folders }: Serving, control: boolean): object {
  return { url: urls[0], urls, host, port, control, folders };
}

function words({ folders, host, urls }: Serving, allowControl: boolean): readonly string[] {
  const actions = "start, answer, stop and resume runs";
  const can = allowControl
    ? `The page can ${actions}.`
    : `It only shows them; --allow-control lets the page ${actions}.`;
  return [
    `Open ${urls.length > 1 ? "one of the addresses" : "the address"} above in a browser. It shows the runs of ${folders.join(", ")}.`,
    `${can} Ctrl-C ends it; runs go on.`,
    ...(isLoopback(host)
      ? []
      : [
          `warning: --host ${host} is open to other machines, and nothing that is sent is encrypted: whoever reads along on the way can do what you can.`,
          "hint: Leave --host away, and come by ssh -L PORT:127.0.0.1:PORT.",
        ]),
  ];
}

/** A second signal ends the process at once. */
function endOfProcess(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}
