import { type ConsoleOptions, consoleObserver } from "../../console/console.ts";
import type { Detail } from "../../console/line.ts";
import type { EventLine } from "../../inspect/history/logs.ts";
import { failureFile } from "../../inspect/history/show.ts";
import type { LoggedStep } from "../../log/logged-steps.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { questionsOf } from "../../machine/moves/question.ts";
import type { LiveRun } from "../live/live-run.ts";
import type { RunOptions } from "../parse/run-options.ts";
import type { Shell } from "../shell.ts";
import { missingWords, pathFrom } from "../words/words.ts";

type Options = Omit<ConsoleOptions, "now" | "debugFile">;

/** The console options that all commands share. `live`: the live view, in which the user may change `--verbose`. */
export function consoleSettings(
  { quiet, verbose }: Pick<RunOptions, "quiet" | "verbose">,
  live: () => Pick<LiveRun, "isVerbose"> | null,
  shell: Shell,
): Pick<ConsoleOptions, "style" | "detail" | "columns" | "shownPath"> {
  const detail = (): Detail => {
    if (live()?.isVerbose() ?? verbose === true) return "verbose";
    return quiet === true ? "quiet" : "normal";
  };
  return {
    style: shell.style,
    detail,
    // A getter: the terminal may be resized.
    columns: () => shell.columns,
    shownPath: (file) => pathFrom(shell.cwd, file),
  };
}

/** Shows the events of a log like the console of the run, each with its time. `debug`: the folder of the debug files. */
export function logConsole(
  options: Options,
  debug: string,
): (logged: EventLine, run: RunState) => void {
  const last = new Map<AgentId, LoggedStep["started"]>();
  let time = 0;
  const debugFile = (agent: AgentId) => {
    const started = last.get(agent);
    return started === undefined ? null : failureFile({ started }, debug);
  };
  const newConsole = () => consoleObserver({ ...options, now: () => time, debugFile });
  let shown = newConsole();
  return (logged, run) => {
    const { event, seq, at } = logged;
    for (const each of logged.missing) options.write(`  ${missingWords(each)}\n`);
    if (event.type === "step.started") last.set(event.agent, { ...logged, event });
    // Each process of the run has a summary of its own.
    if (event.type === "run.resumed") shown = newConsole();
    time = at;
    shown.notify(event, runAt(run, event, seq), seq);
  };
}

/** The run at the time of an old event: answered questions and past ends print no commands. */
function runAt(run: RunState, event: Event, seq: number): RunState {
  if (event.type === "run.ended") {
    const { status, reason: stopReason } = event;
    const then = { ...run, status, stopReason };
    return seq < run.seq ? { ...then, agents: [], waits: {} } : then;
  }
  if (event.type === "agent.asked") {
    const { agent, number } = event;
    const isOpen = questionsOf(run).some((each) => each.agent === agent && each.number === number);
    return isOpen ? { ...run, status: "running" } : { ...run, status: "completed" };
  }
  return run;
}
