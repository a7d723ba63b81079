import type { Observer } from "../engine/ports/observer.ts";
import { counted } from "../language/basics/counted.ts";
import type { StateName } from "../language/protocol/transition.ts";
import { evidenceCollector } from "../log/failure-evidence.ts";
import { charactersIn, cut, printable } from "../log/printable.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { questionsOf } from "../machine/moves/question.ts";
import { isLive } from "../machine/moves/stop.ts";
import { formatEvent, formatFailure, formatQuestion } from "./format/format-event.ts";
import { loopFolder } from "./format/loops.ts";
import { type Detail, isShown, type Line } from "./line.ts";
import { repeatFilter } from "./repeated-lines.ts";
import { paint, type Style } from "./style.ts";
import { answerAdvice, Tally } from "./summary.ts";

export interface ConsoleOptions {
  /** Receives whole lines, for standard error. Its errors are ignored. */
  write(text: string): void;
  readonly style: Style;
  /** Read for each event. */
  detail(): Detail;
  /** Width of the terminal, read for each line; null: no terminal. */
  columns(): number | null;
  /** Epoch ms, for the time of each step. Absent: show no times. */
  now?(): number;
  /** The most useful debug file of the last attempt of an agent; or null. */
  debugFile?(agent: AgentId): string | null;
  /** The file to fix if a state fails. Default: the state's file in the scope folder. */
  readonly source?: ((state: StateName) => string) | undefined;
  /** Shortens a path for display. Default: absolute. */
  shownPath?(path: string): string;
  /** The command prefix in printed commands (default: `raymond`); null: print no commands. */
  readonly program?: string | null;
}

/**
 * Prints a run for the person who watches it. A step has a header with time, agent and state, and indented lines below.
 * Lines name their agent once there are several. A summary follows the end of the run.
 */
export function consoleObserver(options: ConsoleOptions): Observer {
  const program = options.program === undefined ? "raymond" : options.program;
  const tally = new Tally(program);
  const gutter = new Gutter();
  const loops = loopFolder();
  const repeats = repeatFilter();
  const evidence = evidenceCollector((agent) => options.debugFile?.(agent) ?? null, options.source);
  const shownPath = (path: string) => options.shownPath?.(path) ?? path;

  const linesOf = (event: Event, run: RunState): readonly Line[] => {
    if (event.type === "agent.asked") return formatQuestion(event, questionOptions(event, run));
    if (event.type !== "agent.failed") return formatEvent(event);
    const found = evidence.of(event.agent, event.state, run);
    return formatFailure(event, {
      ...found,
      file: shownPath(found.file),
      // With --verbose the output was already printed.
      lastOutput: options.detail() === "verbose" ? null : found.lastOutput,
      debugFile: found.debugFile === null ? null : shownPath(found.debugFile),
    });
  };
  /** If the run stops for the question, the summary prints the command. The agent is named as soon as there are several. */
  const questionOptions = (asked: Extract<Event, { type: "agent.asked" }>, run: RunState) => {
    const isOpen = questionsOf(run).some(({ number }) => number === asked.number);
    const questions = run.agents.map(({ id: agent }) => ({ agent }));
    const isShownHere = program !== null && isOpen && isLive(run);
    const command = isShownHere ? answerAdvice({ id: run.id, questions }, asked, program) : null;
    return { isOpen, command };
  };
  const show = (shown: Line, detail: Detail): void => {
    if (!isShown(shown, detail)) return;
    const [before, width] = prefix(shown, gutter, options);
    const columns = options.columns();
    const room = columns === null ? NO_TERMINAL_WIDTH : Math.max(MIN_TEXT, columns - width);
    const whole = detail === "verbose";
    const lines = shown.hidden + (whole ? 0 : shown.more);
    const text = fitted(shown.text, whole || !shown.cut ? null : room, lines);
    try {
      options.write(`${before}${paint(shown.tone, text, options.style)}\n`);
    } catch {
      // The destination is closed or full, which must not stop the run.
    }
  };

  return {
    notify(event, run) {
      tally.add(event);
      gutter.notify(event, run);
      evidence.notify(event);
      const lines = repeats(event, linesOf(event, run), run);
      const detail = options.detail();
      const folded = loops(event, lines);
      for (const shown of detail === "verbose" ? lines : folded) show(shown, detail);
      if (event.type !== "run.ended") return;
      for (const shown of tally.lines(event, run)) show(shown, detail);
    },
  };
}

/** Minimum characters of a line in a narrow terminal. */
const MIN_TEXT = 20;
/** Maximum characters of a line that may be cut, without a terminal. */
const NO_TERMINAL_WIDTH = 200;

/** The text cut to `room` characters (null: not cut), with the size of the rest: ` (+ 12 chars, 2 lines)`. */
function fitted(text: string, room: number | null, lines: number): string {
  const rest = (chars: number) => {
    const parts = [
      ...(chars === 0 ? [] : [counted(chars, "char")]),
      ...(lines === 0 ? [] : [counted(lines, "line")]),
    ];
    return parts.length === 0 ? "" : ` (+ ${parts.join(", ")})`;
  };
  const length = charactersIn(text);
  if (room === null || length + rest(0).length <= room) return `${text}${rest(0)}`;
  // The longest possible suffix, so that its length does not depend on the cut.
  const kept = Math.max(1, room - rest(length).length);
  return kept >= length ? `${text}${rest(0)}` : `${cut(text, kept)}${rest(length - kept + 1)}`;
}

const MAX_NAME = 24;

/** Tracks whether lines must name their agent, and the width of that column. */
class Gutter {
  #width = 0;
  #only: AgentId | null = null;
  several = false;

  notify(event: Event, run: RunState): void {
    this.several ||= run.agents.length > 1;
    if ("agent" in event) this.#add(event.agent);
    if (event.type === "agent.forked") this.#add(event.worker);
  }

  /** The name, padded to the column if there are several agents. */
  name(agent: AgentId): string {
    return printable(this.several ? agent.padEnd(this.#width) : agent);
  }

  #add(agent: AgentId): void {
    this.#only ??= agent;
    this.several ||= agent !== this.#only;
    this.#width = Math.max(this.#width, Math.min(MAX_NAME, agent.length));
  }
}

/** The prefix of a line, and its width in columns. */
function prefix(
  shown: Line,
  gutter: Gutter,
  options: ConsoleOptions,
): readonly [text: string, width: number] {
  const { agent, tone } = shown;
  const { style } = options;
  if (agent === null) return ["", 0];
  const time = options.now === undefined ? "" : `${clockTime(options.now())} `;
  const name = gutter.name(agent);
  if (tone === "header") {
    return [`${style.dim(time)}${style.accent(name)}  `, time.length + name.length + 2];
  }
  if (!gutter.several) return ["  ", 2];
  const blank = " ".repeat(time.length);
  return [`${blank}${style.dim(name)}    `, blank.length + name.length + 4];
}

function clockTime(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
