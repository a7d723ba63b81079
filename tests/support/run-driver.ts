import type { Transition } from "../../src/language/protocol/transition.ts";
import { advance, type Input } from "../../src/machine/advance.ts";
import type { Decision } from "../../src/machine/decide/decision.ts";
import { runningOf } from "../../src/machine/model/activity.ts";
import type { AgentId } from "../../src/machine/model/agent.ts";
import type { Event, RunUpdate } from "../../src/machine/model/event.ts";
import type { StepOutcome } from "../../src/machine/model/outcome.ts";
import { findAgent } from "../../src/machine/model/roster.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { startStep } from "../../src/machine/steps/start-step.ts";
import { output } from "./outcomes.ts";

/** Time of all inputs, epoch ms. */
export const NOON = Date.parse("2026-11-21T12:00:00.000Z");

/** Applies inputs to a run and records its events. */
export class RunDriver {
  readonly events: Event[] = [];
  run: RunState;
  #sessions = 0;

  constructor(run: RunState) {
    this.run = run;
  }

  apply(input: Input): this {
    return this.#take(advance(this.run, input));
  }

  start(agent: AgentId = "main", at: number = NOON): this {
    this.#sessions += 1;
    const session = `new${String(this.#sessions)}`;
    return this.#take(startStep(this.run, { agent: findAgent(this.run, agent), at, session }));
  }

  accept(agent: AgentId = "main"): this {
    return this.apply({
      type: "accepted",
      agent,
      process: this.process(agent),
      conversationBytes: null,
    });
  }

  end(outcome: StepOutcome, decision: Decision, agent: AgentId = "main", at: number = NOON): this {
    const process = this.process(agent);
    return this.apply({ type: "ended", agent, process, outcome, decision, at, dice: 0.5 });
  }

  /** A complete step with this transition, in the session of its start. */
  step(
    transition: Transition,
    changes: Partial<Extract<StepOutcome, { kind: "output" }>> = {},
    agent: AgentId = "main",
  ): this {
    this.start(agent);
    const session = this.run.agents.find(({ id }) => id === agent)?.session.id ?? null;
    return this.end(
      output("x", { session, ...changes }),
      { kind: "move", transitions: [transition], implied: false },
      agent,
    );
  }

  /** The process number of an agent's step in flight. */
  process(agent: AgentId): number {
    const found = this.run.agents.find(({ id }) => id === agent);
    return (found && runningOf(found)?.process) ?? -1;
  }

  types(): readonly string[] {
    return this.events.map((event) => event.type);
  }

  #take([next, events]: RunUpdate): this {
    this.run = next;
    this.events.push(...events);
    return this;
  }
}
