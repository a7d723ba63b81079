import type { Journal } from "../../engine/ports/journal.ts";
import type { Observer } from "../../engine/ports/observer.ts";
import { toUsd } from "../../language/basics/money.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { Input } from "../../machine/advance.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { Event } from "../../machine/model/event.ts";
import { type RunState, spent } from "../../machine/model/run-state.ts";
import type { JournalRecord } from "../../machine/record/journal.ts";
import { SESSION_WORDS, type SessionWord } from "./expectation.ts";
import { type States, shortName } from "./given.ts";

export interface Attempt {
  readonly agent: AgentId;
  readonly state: StateName;
  readonly process: number;
  /** A gate script, which is not a visit of a state. */
  readonly gate: boolean;
  /** Number of the visit in the run, from 1. */
  readonly visit: number;
  /** Null for scripts. */
  readonly session: SessionWord | null;
  /** Entries on the return stack. */
  readonly depth: number;
}

export type Fact = Event | Extract<Input, { type: "ended" }>;

export interface Happened {
  readonly run: RunState;
  readonly attempts: readonly Attempt[];
  /** Sent prompts by number of the process. */
  readonly prompts: ReadonlyMap<number, string>;
  /** Events and ended attempts in order. */
  readonly log: readonly Fact[];
  /** Messages about calls without a scripted reply. */
  readonly missing: readonly string[];
  /** Stopped at `max_steps`. */
  readonly endless: boolean;
}

/** Records the run of a test. `started` is called at each attempt with the number of attempts. */
export class RunRecorder implements Observer, Journal {
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
    // The step was announced, but not started.
    if (event.type === "agent.diverted" && event.by === "on_context") {
      this.#undo(event.agent, event.from);
    }
    if (event.type === "run.stopping") {
      const { class: kind, agent, state } = event.reason;
      const halted = kind === "budget" || kind === "step-limit";
      if (halted && agent !== null && state !== null) this.#undo(agent, state);
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

  #undo(agent: AgentId, state: StateName): void {
    const index = this.#attempts.findLastIndex(
      (one) => one.agent === agent && one.state === state && !one.gate,
    );
    if (index === -1) return;
    this.#attempts = this.#attempts.toSpliced(index, 1);
    this.#visits.set(state, (this.#visits.get(state) ?? 1) - 1);
  }
}

/** Entered states in order, by agent. */
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

/** The result of a run with the keys of `expect`. */
export interface Observed {
  readonly path: readonly string[];
  readonly paths: Readonly<Record<AgentId, readonly string[]>>;
  /** Undefined if main has not ended. */
  readonly result: string | undefined;
  readonly results: Readonly<Record<AgentId, string>>;
  readonly status: string;
  readonly exit: number;
  readonly cost: number;
}

export function observe(happened: Happened, states: States, exit: number): Observed {
  const { run } = happened;
  const short = [...pathsOf(happened)].map(
    ([agent, path]) => [agent, path.map((state) => shortName(state, states))] as const,
  );
  const paths = Object.fromEntries(short);
  const { results, status } = run;
  const cost = toUsd(spent(run));
  return { path: paths["main"] ?? [], paths, result: results["main"], results, status, exit, cost };
}

/** The shortest `expect` that covers the whole result. */
export function wholeExpectation({ path, paths, result, results, status, cost }: Observed) {
  const { main: _path, ...otherPaths } = paths;
  const { main: _result, ...otherResults } = results;
  return {
    path,
    ...(Object.keys(otherPaths).length > 0 && { paths: otherPaths }),
    ...(result !== undefined && { result }),
    ...(Object.keys(otherResults).length > 0 && { results: otherResults }),
    ...(status !== "completed" && { status }),
    cost,
  };
}
