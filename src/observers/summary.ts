import { counted } from "../core/counted.ts";
import type { Event } from "../core/machine/event.ts";
import type { Denial } from "../core/machine/outcome.ts";
import { type Question, questionsOf, shownQuestion } from "../core/machine/question.ts";
import type { RunId, RunState, StopReason } from "../core/machine/run-state.ts";
import { isSimulated } from "../ports/backend.ts";
import { allowFlag, allowWords } from "./allow-flag.ts";
import { block, type Line, line } from "./line.ts";
import { localTime, zoneName } from "./local-time.ts";
import { resumeFlags, resumeNeeds } from "./resume-needs.ts";

/** What a process has seen of a run and no single event tells. */
export interface Tally {
  add(event: Event): void;
  /** Lines under the last one of the run: why it stopped, what was odd, how to go on. */
  lines(ended: Extract<Event, { type: "run.ended" }>, run: RunState): readonly Line[];
}

/** Counts for the summary; `program` is how this raymond is called, such as `raymond --state-dir /x`; null: nobody goes on. */
export function newTally(program: string | null): Tally {
  const denied = new Map<string, number>();
  const calls = new Map<string, Denial>();
  const reminded = new Map<string, number>();
  const failed: string[] = [];
  let lately = false;

  return {
    add(event) {
      if (event.type === "agent.failed") failed.push(`${event.agent} at ${event.state}`);
      if (event.type !== "run.stopping" && event.type !== "run.ended") {
        lately = event.type === "agent.failed";
      }
      if (event.type === "agent.reminded") increase(reminded, event.state);
      if (event.type !== "step.ended") return;
      for (const denial of event.denials) {
        increase(denied, denial.tool);
        calls.set(`${denial.tool} ${denial.input}`, denial);
      }
    },
    lines: (ended, run) => [
      ...simulatedLine(run),
      ...(failed.length === 0 ? reasonLines(ended) : failedLines(ended, failed, lately)),
      ...listLine(
        denied,
        (sum, list) => `${counted(sum, "tool call was", "tool calls were")} denied: ${list}`,
      ),
      ...allowLine([...calls.values()], run),
      ...listLine(reminded, (_, list) => `reminders were needed in: ${list}`),
      ...questionLines({ ...run, status: ended.status }, program),
      ...limitLine({ ...run, status: ended.status }),
      ...resumeLine({ ...run, status: ended.status }, program),
    ],
  };
}

/**
 * The exact command that resumes a run, with the flags without which it would stop again at once; null for a
 * completed run. `program` is how this raymond is called.
 */
export function resumeAdvice(run: RunState, program = "raymond"): string | null {
  if (run.status === "completed") return null;
  return `${program} --resume ${run.id}${resumeFlags(resumeNeeds(run))}`;
}

/** The exact command that goes on with a run whose holder cannot be seen from here, and is surely gone. */
export function takeOverAdvice({ id }: Pick<RunState, "id">, program: string): string {
  return `${program} --resume ${id} --take-over`;
}

/** Where an open question is, as far as a command that answers it must say. */
type Place = Pick<Question, "agent">;

/**
 * The exact command that answers a question of a run, where TEXT stands for the
 * answer; of several open ones it names the agent.
 */
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
  return [line(null, "dim", "  this run is simulated: its costs are made up")];
}

/** Whether a run stops because an agent has failed, which is told by its `agent.failed`. */
export function isFailure({ class: of, agent }: StopReason): boolean {
  return agent !== null && (of === "crash" || of === "deterministic" || of === "lost-session");
}

/** Each failure was told when it came: where it stands far above, its place is named again, not its reason. */
function failedLines(
  ended: Extract<Event, { type: "run.ended" }>,
  failed: readonly string[],
  lately: boolean,
): readonly Line[] {
  if (ended.reason !== null && !isFailure(ended.reason)) return reasonLines(ended);
  if (lately && failed.length === 1) return [];
  const names = failed.slice(0, 8).join(", ");
  const more = failed.length > 8 ? ` and ${String(failed.length - 8)} more` : "";
  return [line(null, "plain", `  failed: ${names}${more}, as told above`, { from: "quiet" })];
}

function reasonLines({ reason, status }: Extract<Event, { type: "run.ended" }>): readonly Line[] {
  if (reason === null || status === "completed") return [];
  const where = [reason.agent, reason.state].filter((part) => part !== null).join(" at ");
  return block(null, "plain", `  ${where === "" ? "" : `${where}: `}${reason.message}`, {
    from: "quiet",
  });
}

/** Until when a run that did not wait would have had to. */
function limitLine({ status, stopReason, wait }: RunState): readonly Line[] {
  if (status !== "paused" || stopReason?.class !== "limit" || wait === null) return [];
  const text = `  the usage limit ends at ${localTime(wait.until)} ${zoneName(wait.until)}`;
  return [line(null, "plain", text, { from: "quiet" })];
}

function listLine(
  counts: ReadonlyMap<string, number>,
  words: (sum: number, list: string) => string,
): readonly Line[] {
  if (counts.size === 0) return [];
  const most = [...counts].sort(([, a], [, b]) => b - a);
  const sum = most.reduce((total, [, n]) => total + n, 0);
  const list = most.slice(0, 8).map(([name, n]) => `${name} ${String(n)}×`);
  if (most.length > 8) list.push("…");
  return [line(null, "warning", `  ${words(sum, list.join(", "))}`)];
}

/** The flag ready to paste; none where all that was denied is allowed already. */
function allowLine(denied: readonly Denial[], run: RunState): readonly Line[] {
  const flag = allowFlag(denied, run.settings.allowedTools);
  return flag === null
    ? []
    : [line(null, "accent", `  ${allowWords(flag)}: ${flag}`, { from: "quiet" })];
}

/** What waits for an answer, and the command for each. Where a run stopped for one of them the reason has told it. */
function questionLines(run: RunState, program: string | null): readonly Line[] {
  const questions = run.status === "completed" ? [] : questionsOf(run);
  const shown = questions.slice(0, MOST_QUESTIONS);
  const onward = questions.length === 1 ? " --resume" : "";
  const more = questions.length - shown.length;
  const asked = questions.length > 1 || run.stopReason?.class !== "question";
  return [
    ...shown.flatMap((question) => [
      ...(asked ? [told(`${question.agent} asks: ${shownQuestion(question)}`)] : []),
      ...(program === null
        ? []
        : [
            told(
              `answer with: ${answerAdvice({ id: run.id, questions }, question, program)}${onward}`,
            ),
          ]),
    ]),
    ...(more === 0 ? [] : [told(`and ${String(more)} more questions: raymond status shows them`)]),
  ];
}

const MOST_QUESTIONS = 8;

function told(text: string): Line {
  return line(null, "accent", `  ${text}`, { from: "quiet" });
}

function resumeLine(run: RunState, program: string | null): readonly Line[] {
  // Of a run that waits for a person the command that answers goes on with it.
  if (run.status === "paused" && run.stopReason?.class === "question") return [];
  const command = program === null ? null : resumeAdvice(run, program);
  if (command === null) return [];
  if (run.stopReason?.class === "parked") {
    const due = `${command}, or by a timer: ${String(program)} resume --due`;
    return [line(null, "accent", `  resume it then with: ${due}`, { from: "quiet" })];
  }
  const { state } = resumeNeeds(run);
  const first = state === null ? "" : `raise the budget in ${state}, then `;
  return [line(null, "accent", `  ${first}go on with: ${command}`, { from: "quiet" })];
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
