import type { LoggedJson, StepJson, TimelineJson } from "../../../inspect/json/shapes.ts";

/**
 * The loaded steps of a run by number. They come from pages in any order and from live events. Both may contain
 * the same events.
 */
export interface StepBook {
  readonly steps: ReadonlyMap<number, StepJson>;
  /** By agent: its last known step with its live events, newest last. */
  readonly current: ReadonlyMap<string, CurrentStep>;
  readonly last: number;
}

export interface CurrentStep {
  readonly step: number;
  readonly events: readonly LoggedJson[];
}

/** Live events to keep per step. The step view loads the rest from the server. */
const MAX_EVENTS = 400;

export const NO_STEPS: StepBook = { steps: new Map(), current: new Map(), last: 0 };

export function withPage(book: StepBook, { steps: page }: TimelineJson): StepBook {
  const steps = new Map(book.steps);
  const doing = new Map(book.current);
  let { last } = book;
  for (const step of page) {
    const known = steps.get(step.step);
    // Live events may be newer than the page.
    if (known === undefined || detailOf(step) > detailOf(known)) steps.set(step.step, step);
    last = Math.max(last, step.step);
    const agent = agentOf(step.started);
    if (agent !== null && (doing.get(agent)?.step ?? 0) < step.step) {
      doing.set(agent, { step: step.step, events: [] });
    }
  }
  return { steps, current: doing, last };
}

/** Adds live events, in order. */
export function withEvents(book: StepBook, events: readonly LoggedJson[]): StepBook {
  const steps = new Map(book.steps);
  const doing = new Map(book.current);
  let { last } = book;
  for (const event of events) {
    if (event.type === "run.ended") endAll(steps, doing);
    const agent = agentOf(event);
    if (agent === null) continue;
    const number = event["process"];
    if (event.type === "step.started" && typeof number === "number") {
      last = Math.max(last, number);
      doing.set(agent, { step: number, events: [] });
      if (!steps.has(number)) steps.set(number, newStep(number, event));
      continue;
    }
    const now = doing.get(agent);
    if (now === undefined) continue;
    const step = steps.get(now.step);
    if (isProgress(event)) {
      doing.set(agent, { ...now, events: [...now.events.slice(1 - MAX_EVENTS), event] });
    } else if (step !== undefined && event.type === "step.ended") {
      if (number === now.step) steps.set(now.step, { ...step, running: false, ended: event });
    } else if (step !== undefined && !step.after.some(({ seq }) => seq === event.seq)) {
      steps.set(now.step, { ...step, after: [...step.after, event] });
    }
  }
  return { steps, current: doing, last };
}

/** Whether the event is output of a running step: messages, tools, output, notices. */
export function isProgress({ type }: LoggedJson): boolean {
  return /^step\.(?:message|output|tool|notice)$/.test(type);
}

/** The agent of an event; null if it concerns the whole run. */
export function agentOf(event: LoggedJson): string | null {
  const agent = event["agent"];
  return typeof agent === "string" ? agent : null;
}

function newStep(step: number, started: LoggedJson): StepJson {
  return { step, running: true, started, ended: null, after: [] };
}

/** A measure of how much is known about a step. */
function detailOf({ ended, after }: StepJson): number {
  return (ended === null ? 0 : 1) + after.length;
}

/** No step is running after the end of the run. */
function endAll(steps: Map<number, StepJson>, doing: ReadonlyMap<string, CurrentStep>): void {
  for (const { step: number } of doing.values()) {
    const step = steps.get(number);
    if (step?.running === true) steps.set(number, { ...step, running: false });
  }
}
