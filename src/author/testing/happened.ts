import type { Journal } from "../../engine/ports/journal.ts";
import type { Observer } from "../../engine/ports/observer.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { Input } from "../../machine/advance.ts";
import type { AgentId } from "../../machine/agent.ts";
import type { Event } from "../../machine/event.ts";
import type { JournalRecord } from "../../machine/record/journal.ts";
import type { RunState } from "../../machine/run-state.ts";
import { SESSION_WORDS, type SessionWord } from "./expectation.ts";

/** One attempt of a step. */
export interface Attempt {
  readonly agent: AgentId;
  readonly state: StateName;
  readonly process: number;
  /** A script that a transition had to pass: no entering of a state. */
  readonly gate: boolean;
  /** Which entering of the state this is in the run, from 1 on. */
  readonly visit: number;
  /** Null for scripts. */
  readonly session: SessionWord | null;
  /** Entries on the return stack. */
  readonly depth: number;
}

export type Fact = Event | Extract<Input, { type: "ended" }>;

/** What has happened in the run of a test. */
export interface Happened {
  readonly run: RunState;
  readonly attempts: readonly Attempt[];
  /** What was sent to the model, by number of the process. */
  readonly prompts: ReadonlyMap<number, string>;
  /** All events and all ends of attempts, in their order. */
  readonly log: readonly Fact[];
  /** Calls for which the test says nothing. */
  readonly missing: readonly string[];
  /** It was broken off: it did not end. */
  readonly endless: boolean;
}

/** Watches a run for what its test may ask. `started` is called at each attempt, with how many there were. */
export class FailureEvidence implements Observer, Journal {
  readonly log: Fact[] = [];
  #attempts: Attempt[] = [];
  readonly #visits = new Map<StateName, number>();
  readonly #started: (attempts: number) => void;
  #count = 0;

  constructor(started: (attempts: number) => void) {
    this.#started = started;
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  append({ inputs }: JournalRecord): void {
    this.log.push(...inputs.filter((input) => input.type === "ended"));
  }

  notify(event: Event, run: RunState): void {
    this.log.push(event);
    if (event.type === "step.started") this.#start(event, run);
    // A step that was announced and then not started.
    if (event.type === "agent.diverted" && event.by === "on_context") {
      this.#takeBack(event.agent, event.from);
    }
    if (event.type === "run.stopping") {
      const { class: kind, agent, state } = event.reason;
      const halted = kind === "budget" || kind === "step-limit";
      if (halted && agent !== null && state !== null) this.#takeBack(agent, state);
    }
  }

  #start(event: Extract<Event, { type: "step.started" }>, run: RunState): void {
    const { agent: id, state, process, attempt, session } = event;
    const agent = run.agents.find((one) => one.id === id);
    const gate = agent !== undefined && agent.gate !== null;
    const entered = !gate && attempt === 1;
    const visit = (this.#visits.get(state) ?? 0) + (entered ? 1 : 0);
    this.#visits.set(state, visit);
    this.#attempts.push({
      ...{ agent: id, state, process, gate, visit },
      session: session === null ? null : SESSION_WORDS[session],
      depth: agent?.stack.length ?? 0,
    });
    this.#count += 1;
    this.#started(this.#count);
  }

  #takeBack(agent: AgentId, state: StateName): void {
    const index = this.#attempts.findLastIndex(
      (one) => one.agent === agent && one.state === state && !one.gate,
    );
    if (index === -1) return;
    this.#attempts = this.#attempts.toSpliced(index, 1);
    this.#visits.set(state, (this.#visits.get(state) ?? 1) - 1);
  }
}

/** The states that agents have entered, in order, by agent. */
export function pathsOf({
  attempts,
}: Pick<Happened, "attempts">): ReadonlyMap<AgentId, readonly StateName[]> {
  const seen = new Set<string>();
  const paths = new Map<AgentId, StateName[]>();
  for (const { agent, state, gate, visit } of attempts) {
    const key = JSON.stringify([state, visit]);
    if (gate || seen.has(key)) continue;
    seen.add(key);
    const path = paths.get(agent) ?? [];
    path.push(state);
    paths.set(agent, path);
  }
  return paths;
}
