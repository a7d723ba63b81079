import { isSimulated } from "../engine/ports/backend.ts";
import { counted } from "../language/basics/counted.ts";
import { resumeFlags, resumeNeeds } from "../log/resume-needs.ts";
import { firstWait } from "../machine/backends/backend-waits.ts";
import { sumOfDenials } from "../machine/model/denial.ts";
import type { Event } from "../machine/model/event.ts";
import type { RunId, RunState, StopReason } from "../machine/model/run-state.ts";
import { formatQuestion, type Question, questionsOf } from "../machine/moves/question.ts";
import { allowFlag, allowWords, deniedWords } from "./allow-flag.ts";
import { block, type Line, line } from "./line.ts";
import { localTime, zoneName } from "./local-time.ts";

/** Collects facts of a run that no single event contains. `program`: the command prefix; null: print no commands. */
export class Tally {
  readonly #reminded = new Map<string, number>();
  readonly #failed: string[] = [];
  #failedLast = false;
  readonly #program: string | null;

  constructor(program: string | null) {
    this.#program = program;
  }

  add(event: Event): void {
    if (event.type === "agent.failed") this.#failed.push(`${event.agent} at ${event.state}`);
    if (event.type !== "run.stopping" && event.type !== "run.ended") {
      this.#failedLast = event.type === "agent.failed";
    }
    if (event.type === "agent.reminded") increase(this.#reminded, event.state);
  }

  /** The lines after the last line of a run: why it stopped, denied tools, reminders, how to resume. */
  lines(ended: Extract<Event, { type: "run.ended" }>, state: RunState): readonly Line[] {
    const run = { ...state, status: ended.status };
    return [
      ...simulatedLine(run),
      ...(this.#failed.length === 0
        ? reasonLines(ended)
        : failedLines(ended, this.#failed, this.#failedLast)),
      ...deniedLines(run),
      ...listLine(this.#reminded, (_, list) => `reminders sent in: ${list}`),
      ...questionLines(run, this.#program),
      ...limitLine(run),
      ...resumeLine(run, this.#program),
    ];
  }
}

/**
 * The command that resumes a run, with the flags that it needs to make progress; null for a completed run. `program`:
 * the command prefix.
 */
export function resumeAdvice(run: RunState, program = "raymond"): string | null {
  if (run.status === "completed") return null;
  return `${program} resume ${run.id}${resumeFlags(resumeNeeds(run))}`;
}

/** The command that resumes a run whose owner is not visible from this machine and has certainly ended. */
export function takeOverAdvice({ id }: Pick<RunState, "id">, program: string): string {
  return `${program} resume ${id} --take-over`;
}

type Place = Pick<Question, "agent">;

/** The command that answers a question. It names the agent if several questions are open. */
export function answerAdvice(
  run: { readonly id: RunId; readonly questions: readonly Place[] },
  { agent }: Place,
  program = "raymond",
): string {
  const which = run.questions.length > 1 ? ` --agent ${agent}` : "";
  return `${program} answer ${run.id} TEXT${which}`;
}

function simulatedLine(run: RunState): readonly Line[] {
  if (!isSimulated(run.backend)) return [];
  return [line(null, "dim", "  simulated run: made-up costs")];
}

/** Whether a run stops because of an agent's failure, which `agent.failed` reports. */
export function isFailure({ class: of, agent }: StopReason): boolean {
  return (
    agent !== null &&
    (of === "crash" || of === "deterministic" || of === "lost-session" || of === "denied")
  );
}

/** Failures were printed when they occurred. If the line is not the last one, the place is repeated. */
function failedLines(
  ended: Extract<Event, { type: "run.ended" }>,
  failed: readonly string[],
  failedLast: boolean,
): readonly Line[] {
  if (ended.reason !== null && !isFailure(ended.reason)) return reasonLines(ended);
  if (failedLast && failed.length === 1) return [];
  const names = failed.slice(0, 8).join(", ");
  const more = failed.length > 8 ? ` and ${String(failed.length - 8)} more` : "";
  return [line(null, "plain", `  failed: ${names}${more} (see above)`, { from: "quiet" })];
}

function reasonLines({ reason, status }: Extract<Event, { type: "run.ended" }>): readonly Line[] {
  if (reason === null || status === "completed") return [];
  const where = [reason.agent, reason.state].filter((part) => part !== null).join(" at ");
  return block(null, "plain", `  ${where === "" ? "" : `${where}: `}${reason.message}`, {
    from: "quiet",
  });
}

/** The end of the usage limit of a run that did not wait for it. */
function limitLine(run: RunState): readonly Line[] {
  const first = firstWait(run);
  if (run.status !== "paused" || run.stopReason?.class !== "limit" || first === null) return [];
  const { until } = first.wait;
  const text = `  the usage limit ends at ${localTime(until)} ${zoneName(until)}`;
  return [line(null, "plain", text, { from: "quiet" })];
}

function listLine(
  counts: ReadonlyMap<string, number>,
  words: (sum: number, list: string) => string,
): readonly Line[] {
  if (counts.size === 0) return [];
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const sum = sorted.reduce((total, [, n]) => total + n, 0);
  const list = sorted.slice(0, 8).map(([name, n]) => `${name} ${String(n)}×`);
  if (sorted.length > 8) list.push("…");
  return [line(null, "warning", `  ${words(sum, list.join(", "))}`)];
}

/** The denied tool calls by state, and the flag that allows them, if it is not set already. */
function deniedLines({ denied, settings }: RunState): readonly Line[] {
  if (denied === null) return [];
  const shown = denied.toSorted((a, b) => b.count - a.count).slice(0, MAX_DENIED);
  const more = denied.length - shown.length;
  const sum = counted(sumOfDenials(denied), "tool call was", "tool calls were");
  const flag = allowFlag(denied, settings);
  return [
    line(null, "warning", `  ${sum} denied:`),
    ...shown.map((call) => line(null, "warning", `    ${deniedWords(call)}`, { cut: true })),
    ...(more === 0
      ? []
      : [line(null, "warning", `    and ${String(more)} more, see: raymond status`)]),
    ...(flag === null
      ? []
      : [line(null, "accent", `  ${allowWords(flag)}: ${flag}`, { from: "quiet" })]),
  ];
}

const MAX_DENIED = 8;

/** Open questions with their commands. If the run stopped for a single question, the reason already contains it. */
function questionLines(run: RunState, program: string | null): readonly Line[] {
  const questions = run.status === "completed" ? [] : questionsOf(run);
  const shown = questions.slice(0, MAX_QUESTIONS);
  const onward = questions.length === 1 ? " --resume" : "";
  const more = questions.length - shown.length;
  const asked = questions.length > 1 || run.stopReason?.class !== "question";
  return [
    ...shown.flatMap((question) => [
      ...(asked ? [accentLine(`${question.agent} asks: ${formatQuestion(question)}`)] : []),
      ...(program === null
        ? []
        : [
            accentLine(
              `answer with: ${answerAdvice({ id: run.id, questions }, question, program)}${onward}`,
            ),
          ]),
    ]),
    ...(more === 0 ? [] : [accentLine(`and ${String(more)} more questions, see: raymond status`)]),
  ];
}

const MAX_QUESTIONS = 8;

function accentLine(text: string): Line {
  return line(null, "accent", `  ${text}`, { from: "quiet" });
}

function resumeLine(run: RunState, program: string | null): readonly Line[] {
  // The command that answers the question also resumes the run.
  if (run.status === "paused" && run.stopReason?.class === "question") return [];
  const command = program === null ? null : resumeAdvice(run, program);
  if (command === null) return [];
  if (run.stopReason?.class === "parked") {
    const due = `${command} (from a timer: ${String(program)} resume --due)`;
    return [line(null, "accent", `  resume it then with: ${due}`, { from: "quiet" })];
  }
  const { state } = resumeNeeds(run);
  const first = state === null ? "" : `raise the budget in ${state}, then `;
  return [line(null, "accent", `  ${first}resume with: ${command}`, { from: "quiet" })];
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
