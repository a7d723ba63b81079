import { runningOf } from "../machine/model/activity.ts";
import type { Agent, AgentId } from "../machine/model/agent.ts";
import { ownerOf } from "../machine/model/owners.ts";
import type { RunState } from "../machine/model/run-state.ts";
import {
  isInManualSession,
  type ManualSessionEnd,
  openableConversations,
} from "../machine/steps/manual-session.ts";
import type { Engine } from "./engine.ts";
import type { EventBatch } from "./event-batch.ts";
import type { ManualSession } from "./ports/manual-sessions.ts";

/**
 * Tracks the manual sessions of a run. Reads their files only after a notification, or while the
 * run has any.
 */
export class ManualSessionTracker {
  readonly #engine: Pick<Engine, "manualSessions" | "backends">;
  #sessions: readonly ManualSession[] = [];
  #isActive: boolean;

  constructor(run: RunState, engine: Pick<Engine, "manualSessions" | "backends">) {
    this.#engine = engine;
    this.#isActive = run.agents.some(isInManualSession);
  }

  /** Whether manual sessions exist or were announced. */
  get isActive(): boolean {
    return this.#isActive;
  }

  announce(): void {
    this.#isActive = true;
  }

  /**
   * Processes sessions that started or ended. A record is removed only after `saved`, the last
   * saved run, no longer needs it.
   */
  async refresh(batch: EventBatch, saved: RunState): Promise<void> {
    if (!this.#isActive) return;
    const { manualSessions: openings } = this.#engine;
    // A session that starts during the read announces itself again.
    this.#isActive = false;
    this.#sessions = await openings.list();
    for (const agent of batch.run.agents.filter(isInManualSession)) {
      const session = this.#sessions.find((each) => isOf(agent, each));
      if (session?.open !== true) batch.advance(await this.#handBack(batch.run, agent, session));
    }
    for (const session of this.#sessions) {
      const isProcessed = !saved.agents.some((agent) => isOf(agent, session));
      if (!session.open && isProcessed) await openings.remove(session);
    }
    this.#isActive ||= this.#sessions.length > 0;
  }

  /**
   * Reserves the requested agents before their next step. `interrupt` ends a running step on
   * request.
   */
  reserveAgents(batch: EventBatch, interrupt: (agent: AgentId) => void): void {
    for (const { agent: id, at, now, open } of this.#sessions) {
      const agent = batch.run.agents.find((each) => each.id === id);
      if (!open || agent === undefined || isInManualSession(agent)) continue;
      const running = runningOf(agent);
      if (running === null) batch.advance({ type: "opened", agent: id, at, recalled: null });
      else if (now && running.kind === "prompt") interrupt(id);
    }
  }

  async #handBack(
    run: RunState,
    agent: Agent,
    record: ManualSession | undefined,
  ): Promise<HandBackInput> {
    const since = agent.opened ?? 0;
    const back = { type: "handed-back", agent: agent.id, opened: since } as const;
    if (record?.opened == null) return { ...back, said: null };
    const { session, cwd } = record.opened;
    const owner = ownerOf(run, openableConversations(agent)[0] ?? session);
    const backend = this.#engine.backends.of(owner);
    const recalled = await backend.recover({ session, cwd, since, byHand: true });
    const said = recalled?.hasPrompt === true ? { session, spend: recalled.spend } : null;
    return { ...back, said };
  }
}

type HandBackInput = ManualSessionEnd & { readonly type: "handed-back" };

function isOf({ id, opened }: Agent, { agent, at }: ManualSession): boolean {
  return id === agent && opened === at;
}
