import path from "node:path";
import { BadFlagError } from "../../config/errors.ts";
import { isLoopback } from "../../dashboard/door.ts";
import { type Serving, serve } from "../../dashboard/serve.ts";
import { packageFolder } from "../../launch/package-folder.ts";
import { openInBrowser } from "../../runs/wire/browser.ts";
import type { Place } from "../../runs/wire/stores.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../output.ts";
import { reportError } from "../report-error.ts";
import type { Shell } from "../shell.ts";
import { VERSION } from "../version.ts";

interface ServeCommandOptions extends Place {
  readonly folders: readonly string[];
  readonly port?: string;
  readonly host?: string;
  readonly open?: true;
  readonly allowControl?: true;
  readonly json?: true;
}

/** `raymond serve`: shows runs in a browser, until a signal ends it. */
export async function serveCommand(options: ServeCommandOptions, shell: Shell): Promise<number> {
  const { folders, host, open, allowControl = false, json, stateDir } = options;
  const port = options.port === undefined ? undefined : portOf(options.port);
  const serving = await serve(
    {
      ...{ folders, host, port, allowControl, stateDir, version: VERSION },
      program: thisProgram(),
      page: path.join(packageFolder(), "dist", "dashboard"),
      onBug: (error) => reportError(error, shell.err.line, shell.style),
    },
    shell,
  );
  if (json === true) printJson(shell.out, servingJson(serving, allowControl));
  else shell.out.line(serving.url);
  await shell.out.flush();
  for (const line of words(serving, allowControl)) shell.err.line(line);
  if (open === true) await openInBrowser(serving.url, shell);
  await endOfProcess();
  await serving.close();
  return EXIT.completed;
}

function portOf(given: string): number {
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw new BadFlagError("--port", given, "a number up to 65535; 0 is any that is free");
}

/** As it was called, to be called again. */
function thisProgram(): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
}

function servingJson({ url, host, port, folders }: Serving, control: boolean): object {
  return { url, host, port, control, folders };
}

function words({ folders, host }: Serving, control: boolean): readonly string[] {
  const can = control
    ? "The page can start, answer, stop and resume runs."
    : "It only shows them; --allow-control lets the page start, answer, stop and resume runs.";
  return [
    `Open the address above in a browser. It shows the runs of ${folders.join(", ")}.`,
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
