import { runningOf } from "../../src/core/machine/activity.ts";
import { advance, type Input } from "../../src/core/machine/advance.ts";
import type { AgentId } from "../../src/core/machine/agent.ts";
import type { Decision } from "../../src/core/machine/decision.ts";
import type { Advanced, Event } from "../../src/core/machine/event.ts";
import type { StepOutcome } from "../../src/core/machine/outcome.ts";
import { findAgent } from "../../src/core/machine/roster.ts";
import type { RunState } from "../../src/core/machine/run-state.ts";
import { startStep } from "../../src/core/machine/start-step.ts";
import type { Transition } from "../../src/core/protocol/transition.ts";
import { output } from "./outcomes.ts";

/** When everything happens in these tests, epoch ms. */
export const NOON = Date.parse("2026-11-21T12:00:00.000Z");

/** Drives a run input by input, and remembers what was told. */
export class Driven {
  readonly events: Event[] = [];
  run: RunState;
  #sessions = 0;

  constructor(run: RunState) {
    this.run = run;
  }

  tell(input: Input): this {
    return this.#take(advance(this.run, input));
  }

  start(agent: AgentId = "main", at: number = NOON): this {
    this.#sessions += 1;
    const session = `new${String(this.#sessions)}`;
    return this.#take(startStep(this.run, { agent: findAgent(this.run, agent), at, session }));
  }

  accept(agent: AgentId = "main"): this {
    return this.tell({
      type: "accepted",
      agent,
      process: this.process(agent),
      conversationBytes: null,
    });
  }

  end(outcome: StepOutcome, decision: Decision, agent: AgentId = "main", at: number = NOON): this {
    const process = this.process(agent);
    return this.tell({ type: "ended", agent, process, outcome, decision, at, dice: 0.5 });
  }

  /** A whole step that ends by this transition, in the session that it was started with. */
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

  #take([next, events]: Advanced): this {
    this.run = next;
    this.events.push(...events);
    return this;
  }
}
