import type { Command } from "commander";
import { parseDurationFlag } from "../../../config/flags.ts";
import { plainStyle } from "../../../console/style.ts";
import { resumeAdvice } from "../../../console/summary.ts";
import { type LogPiece, logs, type RunLog } from "../../../inspect/history/logs.ts";
import { printable } from "../../../log/printable.ts";
import { isLive } from "../../../machine/moves/stop.ts";
import type { WantedAgents } from "../../../wire/stores.ts";
import { consoleSettings, logConsole } from "../../history/log-console.ts";
import { actionOnRuns, JSON_LINES, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { damageWords, heldWords, missingWords, unreadableWords } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .option("-f, --follow", "Follow new output until the run stops")
    .option("--agent <agent>", "Only this agent, and events of the whole run")
    .option("--since <duration>", "Only events of the last DURATION, e.g. 10m")
    .option("--verbose", "Print everything")
    .option(...JSON_LINES);
  runSelection(command).action(actionOnRuns(shell, logsCommand));
}

interface LogsCommandOptions extends WantedAgents {
  readonly since?: string;
  readonly follow?: true;
  readonly verbose?: true;
  readonly json?: true;
}

/** Returns early if the reader of standard output has closed it. */
export async function logsCommand(options: LogsCommandOptions, shell: Shell): Promise<void> {
  const { since, ...wanted } = options;
  const ms = since === undefined ? undefined : parseDurationFlag("--since", since);
  const log = await logs(
    { ...wanted, since: ms === undefined ? undefined : shell.now() - ms },
    shell,
  );
  for (const line of damageWords(log)) shell.err.line(line);
  for (const line of heldWords(log.id, log.waitReasons, log.program)) shell.err.line(line);
  const show = printer(options, log, shell);
  let unreadable = 0;
  let shown = 0;
  let last: LogPiece["run"] | null = null;
  for await (const piece of log.pieces) {
    for (const logged of piece.lines) show(logged, piece.run);
    shown += piece.lines.length;
    unreadable += piece.unreadable;
    last = piece.run;
    // Reads no more than the reader takes.
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
      `No process runs ${log.id} any more. Resume with: ${resumeAdvice(last, log.program) ?? ""}`,
    );
  }
}

function printer(
  options: LogsCommandOptions,
  { artifacts, program }: RunLog,
  shell: Shell,
): (logged: LogPiece["lines"][number], run: LogPiece["run"]) => void {
  const { out, err, outColumns } = shell;
  if (options.json === true) {
    return ({ text, missing }) => {
      for (const each of missing) err.line(missingWords(each));
      out.line(text);
    };
  }
  const settings = consoleSettings(options, () => null, shell);
  const forOutput = { style: plainStyle, columns: () => outColumns, write: out.write };
  return logConsole({ ...settings, ...forOutput, program }, artifacts.debug);
}
