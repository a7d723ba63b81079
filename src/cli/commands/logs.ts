import { parseDurationFlag } from "../../config/flags.ts";
import { isLive } from "../../core/machine/stop.ts";
import { printable } from "../../observers/printable.ts";
import { plainStyle } from "../../observers/style.ts";
import { resumeAdvice } from "../../observers/summary.ts";
import { type LogPiece, logs, type RunLog } from "../../runs/logs.ts";
import type { WantedAgents } from "../../runs/wake.ts";
import { heldWords } from "../held-words.ts";
import { logConsole } from "../history/log-console.ts";
import { damageWords, missingWords, unreadableWords } from "../history/unreadable.ts";
import type { Shell } from "../shell.ts";
import { pathFrom } from "../words.ts";

interface LogsCommandOptions extends WantedAgents {
  readonly since?: string;
  readonly follow?: true;
  readonly verbose?: true;
  readonly json?: true;
}

/** `raymond logs`: what a run has shown, and what it shows now. A reader that goes away ends it. */
export async function logsCommand(options: LogsCommandOptions, shell: Shell): Promise<void> {
  const { since, ...wanted } = options;
  const ms = since === undefined ? undefined : parseDurationFlag("--since", since);
  const log = await logs(
    { ...wanted, since: ms === undefined ? undefined : shell.now() - ms },
    shell,
  );
  for (const line of damageWords(log)) shell.err.line(line);
  for (const line of heldWords(log.id, log.heldUp, log.program)) shell.err.line(line);
  const show = printer(options, log, shell);
  let unreadable = 0;
  let shown = 0;
  let last: LogPiece["run"] | null = null;
  for await (const piece of log.pieces) {
    for (const logged of piece.lines) show(logged, piece.run);
    shown += piece.lines.length;
    unreadable += piece.unreadable;
    last = piece.run;
    // No more is read than somebody takes.
    await shell.out.flush();
    if (shell.out.isClosed()) return;
  }
  const isWhole = ms === undefined && options.agent === undefined;
  if (isWhole && shown + unreadable === 0 && last?.stopReason != null) {
    shell.err.line(`${log.id} has no events. ${printable(last.stopReason.message)}`);
  }
  if (unreadable > 0) shell.err.line(unreadableWords(unreadable));
  if (options.follow === true && last !== null && isLive(last)) {
    shell.err.line(
      `No process runs ${log.id} any more; go on with: ${resumeAdvice(last, log.program) ?? ""}`,
    );
  }
}

function printer(
  { verbose, json }: LogsCommandOptions,
  { artifacts, program }: RunLog,
  { out, err, outColumns, cwd }: Shell,
): (logged: LogPiece["lines"][number], run: LogPiece["run"]) => void {
  if (json === true) {
    return ({ text, missing }) => {
      for (const each of missing) err.line(missingWords(each));
      out.line(text);
    };
  }
  const options = {
    write: out.write,
    style: plainStyle,
    verbose: verbose === true,
    quiet: false,
    columns: () => outColumns,
    shownPath: (file: string) => pathFrom(cwd, file),
    program,
  };
  return logConsole(options, artifacts.debug);
}
