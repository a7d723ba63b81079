import type { LoggedJson, StepJson, TimelineJson } from "../../runs/json/shapes.ts";

/**
 * The steps of a run as far as they are known here, by number. They come in pages,
 * from anywhere, and go on by what is told; both may tell the same, which changes nothing.
 */
export interface StepBook {
  readonly steps: ReadonlyMap<number, StepJson>;
  /** By agent: its last step that is known, and what was told of it here, the last words at the end. */
  readonly doing: ReadonlyMap<string, Doing>;
  /** The number of the last step. */
  readonly last: number;
}

export interface Doing {
  readonly step: number;
  readonly did: readonly LoggedJson[];
}

/** So much of what a step does is kept here: the rest is read from the server when it is shown. */
const MOST_KEPT = 400;

export const NO_STEPS: StepBook = { steps: new Map(), doing: new Map(), last: 0 };

/** The book with a page more. */
export function withPage(book: StepBook, { steps: page }: TimelineJson): StepBook {
  const steps = new Map(book.steps);
  const doing = new Map(book.doing);
  let { last } = book;
  for (const step of page) {
    const known = steps.get(step.step);
    // What was told meanwhile may be newer than the page.
    if (known === undefined || tells(step) > tells(known)) steps.set(step.step, step);
    last = Math.max(last, step.step);
    const agent = agentOf(step.started);
    if (agent !== null && (doing.get(agent)?.step ?? 0) < step.step) {
      doing.set(agent, { step: step.step, did: [] });
    }
  }
  return { steps, doing, last };
}

/** The book with what was told, in its order. */
export function withTold(book: StepBook, told: readonly LoggedJson[]): StepBook {
  const steps = new Map(book.steps);
  const doing = new Map(book.doing);
  let { last } = book;
  for (const event of told) {
    if (event.type === "run.ended") endAll(steps, doing);
    const agent = agentOf(event);
    if (agent === null) continue;
    const number = event["process"];
    if (event.type === "step.started" && typeof number === "number") {
      last = Math.max(last, number);
      doing.set(agent, { step: number, did: [] });
      if (!steps.has(number)) steps.set(number, begun(number, event));
      continue;
    }
    const now = doing.get(agent);
    if (now === undefined) continue;
    const step = steps.get(now.step);
    if (isDoing(event)) {
      doing.set(agent, { ...now, did: [...now.did.slice(1 - MOST_KEPT), event] });
    } else if (step !== undefined && event.type === "step.ended") {
      if (number === now.step) steps.set(now.step, { ...step, running: false, ended: event });
    } else if (step !== undefined && !step.after.some(({ seq }) => seq === event.seq)) {
      steps.set(now.step, { ...step, after: [...step.after, event] });
    }
  }
  return { steps, doing, last };
}

/** Whether it is what a step does while it runs: words, tools, output. */
export function isDoing({ type }: LoggedJson): boolean {
  return /^step\.(?:message|output|tool|notice)$/.test(type);
}

/** The agent that it tells of; null of what concerns the whole run. */
export function agentOf(event: LoggedJson): string | null {
  const agent = event["agent"];
  return typeof agent === "string" ? agent : null;
}

function begun(step: number, started: LoggedJson): StepJson {
  return { step, running: true, started, ended: null, after: [] };
}

/** How much it says of its step. */
function tells({ ended, after }: StepJson): number {
  return (ended === null ? 0 : 1) + after.length;
}

/** What ran when the run ended, runs no longer. */
function endAll(steps: Map<number, StepJson>, doing: ReadonlyMap<string, Doing>): void {
  for (const { step: number } of doing.values()) {
    const step = steps.get(number);
    if (step?.running === true) steps.set(number, { ...step, running: false });
  }
}
