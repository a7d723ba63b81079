import { counted } from "../core/counted.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import { questionsOf } from "../core/machine/question.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { isLive } from "../core/machine/stop.ts";
import type { StateName } from "../core/protocol/transition.ts";
import type { Observer } from "../ports/observer.ts";
import { newWitness } from "./evidence.ts";
import { formatEvent, formatFailure, formatQuestion } from "./format-event.ts";
import { type Detail, isShown, type Line } from "./line.ts";
import { newLoops } from "./loops.ts";
import { paint } from "./paint.ts";
import { charactersIn, cut, printable } from "./printable.ts";
import { newRepeats } from "./repeated-lines.ts";
import type { Style } from "./style.ts";
import { answerAdvice, newTally } from "./summary.ts";

export interface ConsoleOptions {
  /** Gets whole lines, for standard error. What it throws is swallowed. */
  write(text: string): void;
  readonly style: Style;
  /** Everything: processes, session modes, tokens, messages of several lines, nothing cut. Asked anew for each event. */
  readonly verbose: boolean;
  /** Warnings, errors and the end, nothing else. */
  readonly quiet: boolean;
  /** Width of the terminal, asked anew for each line; null: nothing is cut. */
  columns(): number | null;
  /** Epoch ms, for the time before each step; without it no times are shown. */
  now?(): number;
  /** The debug file that tells most of the last attempt of an agent; null where there is none. */
  debugFile?(agent: AgentId): string | null;
  /** The file to mend where a state fails; its own in the folder of the states without. */
  readonly source?: ((state: StateName) => string) | undefined;
  /** A path as the user would name it; absolute without. */
  shownPath?(path: string): string;
  /** How this raymond is called, for the line that says how to go on; `raymond` without, no such line where null. */
  readonly program?: string | null;
}

/**
 * Shows a run to the person who watches it. A step is a header with time,
 * agent and state, and what it did set in below; as soon as there are several
 * agents each line names its own. After the run comes one summary.
 */
export function consoleObserver(options: ConsoleOptions): Observer {
  const detailNow = (): Detail =>
    options.verbose ? "verbose" : options.quiet ? "quiet" : "normal";
  const program = options.program === undefined ? "raymond" : options.program;
  const tally = newTally(program);
  const gutter = newGutter();
  const loops = newLoops();
  const repeats = newRepeats();
  const witness = newWitness((agent) => options.debugFile?.(agent) ?? null, options.source);
  const shownPath = (path: string) => options.shownPath?.(path) ?? path;

  const linesOf = (event: Event, run: RunState): readonly Line[] => {
    if (event.type === "agent.asked") return formatQuestion(event, standing(event, run));
    if (event.type !== "agent.failed") return formatEvent(event);
    const { file, said, printed, debug } = witness.of(event.agent, event.state, run);
    return formatFailure(event, {
      file: shownPath(file),
      said,
      // It has been shown already.
      printed: detailNow() === "verbose" ? null : printed,
      debug: debug === null ? null : shownPath(debug),
    });
  };
  /** Of a run that stops for its question the summary has the command. What others will ask later shall not change it. */
  const standing = (asked: Extract<Event, { type: "agent.asked" }>, run: RunState) => {
    const isOpen = questionsOf(run).some(({ number }) => number === asked.number);
    const questions = run.agents.map(({ id: agent }) => ({ agent }));
    const worthIt = program !== null && isOpen && isLive(run);
    const command = worthIt ? answerAdvice({ id: run.id, questions }, asked, program) : null;
    return { isOpen, command };
  };
  const show = (shown: Line, detail: Detail): void => {
    if (!isShown(shown, detail)) return;
    const [before, width] = prefix(shown, gutter, options);
    const columns = options.columns();
    const room = columns === null ? UNSEEN : Math.max(MIN_TEXT, columns - width);
    const whole = detail === "verbose";
    const lines = shown.hidden + (whole ? 0 : shown.more);
    const text = fitted(shown.text, whole || !shown.cut ? null : room, lines);
    try {
      options.write(`${before}${paint(shown.tone, text, options.style)}\n`);
    } catch {
      // The destination is closed or full: the run is worth more than its report.
    }
  };

  return {
    notify(event, run) {
      tally.add(event);
      gutter.see(event, run);
      witness.see(event);
      const lines = repeats(event, linesOf(event, run), run);
      const detail = detailNow();
      const folded = loops(event, lines);
      for (const shown of detail === "verbose" ? lines : folded) show(shown, detail);
      if (event.type !== "run.ended") return;
      for (const shown of tally.lines(event, run)) show(shown, detail);
    },
  };
}

/** However narrow the terminal, so much of a line is shown. */
const MIN_TEXT = 20;
/** What is shown of a line that may be cut where there is no terminal to give it a width. */
const UNSEEN = 200;

/** The text cut to the room (null: whole), with how much of it is not shown: ` (+ 12 chars, 2 lines)`. */
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
  // The longest that the mark can get: what is cut shall not change with its own length.
  const kept = Math.max(1, room - rest(length).length);
  return kept >= length ? `${text}${rest(0)}` : `${cut(text, kept)}${rest(length - kept + 1)}`;
}

const MAX_NAME = 24;

/** Whether lines must say whose they are, and how wide the names are. */
function newGutter(): {
  see(event: Event, run: RunState): void;
  /** The name as a column, or as it is while there is only one agent. */
  name(agent: AgentId): string;
  readonly several: boolean;
} {
  let width = 0;
  let several = false;
  let only: AgentId | null = null;

  const add = (agent: AgentId): void => {
    only ??= agent;
    several ||= agent !== only;
    width = Math.max(width, Math.min(MAX_NAME, agent.length));
  };

  return {
    see(event, run) {
      several ||= run.agents.length > 1;
      if ("agent" in event) add(event.agent);
      if (event.type === "agent.forked") add(event.worker);
    },
    name: (agent) => printable(several ? agent.padEnd(width) : agent),
    get several() {
      return several;
    },
  };
}

/** What stands before a line, and its width in columns. */
function prefix(
  shown: Line,
  gutter: ReturnType<typeof newGutter>,
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
