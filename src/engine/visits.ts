import { runningOf } from "../core/machine/activity.ts";
import type { Agent, AgentId } from "../core/machine/agent.ts";
import { type HandBack, isOpened } from "../core/machine/opening.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Visit } from "../ports/openings.ts";
import type { Engine } from "./engine.ts";
import type { Telling } from "./telling.ts";

/**
 * The persons who have conversations of a run open, as the run loop hears of them.
 * Nothing is looked for before somebody has said that there is something, or while
 * the run knows of nobody.
 */
export class Visits {
  readonly #engine: Pick<Engine, "openings" | "backend">;
  #visits: readonly Visit[] = [];
  #awaited: boolean;

  constructor(run: RunState, engine: Pick<Engine, "openings" | "backend">) {
    this.#engine = engine;
    this.#awaited = run.agents.some(isOpened);
  }

  /** Whether somebody is there, or has said that they come or go. */
  get awaited(): boolean {
    return this.#awaited;
  }

  announce(): void {
    this.#awaited = true;
  }

  /** Hears who has come and who has left; `saved`: what was heard before that is forgotten only now. */
  async look(telling: Telling, saved: RunState): Promise<void> {
    if (!this.#awaited) return;
    const { openings } = this.#engine;
    // Who comes while it is looked is announced for the next time.
    this.#awaited = false;
    this.#visits = await openings.list();
    for (const agent of telling.run.agents.filter(isOpened)) {
      const visit = this.#visits.find((each) => isOf(agent, each));
      if (visit?.open !== true) telling.advance(await this.#handBack(agent, visit));
    }
    for (const visit of this.#visits) {
      const isHeard = !saved.agents.some((agent) => isOf(agent, visit));
      if (!visit.open && isHeard) await openings.forget(visit);
    }
    this.#awaited ||= this.#visits.length > 0;
  }

  /** Keeps the agents that are wanted from their next step; `interrupt` ends one that runs, where that is wanted. */
  keep(telling: Telling, interrupt: (agent: AgentId) => void): void {
    for (const { agent: id, at, now, open } of this.#visits) {
      const agent = telling.run.agents.find((each) => each.id === id);
      if (!open || agent === undefined || isOpened(agent)) continue;
      const running = runningOf(agent);
      if (running === null) telling.advance({ type: "opened", agent: id, at, recalled: null });
      else if (now && running.kind === "prompt") interrupt(id);
    }
  }

  async #handBack(agent: Agent, visit: Visit | undefined): Promise<HandBackInput> {
    const since = agent.opened ?? 0;
    const back = { type: "handed-back", agent: agent.id, opened: since } as const;
    if (visit?.opened == null) return { ...back, said: null };
    const { session, cwd } = visit.opened;
    const recalled = await this.#engine.backend.recall({ session, cwd, since, byHand: true });
    const said = recalled?.heard === true ? { session, spend: recalled.spend } : null;
    return { ...back, said };
  }
}

type HandBackInput = HandBack & { readonly type: "handed-back" };

function isOf({ id, opened }: Agent, { agent, at }: Visit): boolean {
  return id === agent && opened === at;
}
