import { setTimeout as delay } from "node:timers/promises";
import { resumeAdvice } from "../../console/summary.ts";
import type { RunView } from "../../inspect/run-view.ts";
import type { MicroUsd } from "../../language/basics/money.ts";
import { runningOf } from "../../machine/model/activity.ts";
import type { Agent, AgentId, SessionId } from "../../machine/model/agent.ts";
import { stepName } from "../../machine/model/gate.ts";
import { ownerOf } from "../../machine/model/owners.ts";
import { callPartOf } from "../../machine/model/recovered-session.ts";
import { type RunState, spent } from "../../machine/model/run-state.ts";
import { charge } from "../../machine/spend/ledger.ts";
import type { ManualSessionEnd } from "../../machine/steps/manual-session.ts";
import { RunLockedError } from "../../storage/errors.ts";
import { hasPendingRequests } from "../../storage/request-files.ts";
import type { Caller } from "../../wire/caller.ts";
import {
  type ManualSessionRecord,
  manualSessionsIn,
  recordSessionIn,
} from "../../wire/engine/manual-sessions.ts";
import { loadNamed } from "../../wire/stores.ts";
import type { System } from "../../wire/system/system.ts";
import { request, sendRequest } from "../control/control-requests.ts";
import { openErrors } from "../errors.ts";
import { logEvents, recordInput } from "../record-input.ts";
import type { ManualClients } from "./manual-client.ts";

export interface HandedBack {
  /** The person has sent a message. */
  readonly said: boolean;
  /** Its cost as far as the client reports it. It counts toward the budget of the run. */
  readonly costMicroUsd: MicroUsd;
  readonly estimatedMicroUsd: MicroUsd;
  /** Set if the budget of the run is now used up. */
  readonly budgetMicroUsd: MicroUsd | null;
  /** The command that resumes the run; null if a process drives it. */
  readonly next: string | null;
}

/** A step that must end before the conversation opens. */
export interface StepInProgress {
  /** Its full name. */
  readonly state: string;
  readonly step: number;
}

/** An agent of a run, and what a manual session with it needs. */
export interface ManualSessionOptions {
  readonly view: RunView;
  readonly clients: ManualClients;
  readonly agent: AgentId;
  /** Interrupt a prompt step in progress. */
  readonly now: boolean;
  /** Called once, if a step of the agent is in progress. */
  readonly onWait: (step: StepInProgress) => void;
  readonly caller: Caller;
  readonly system: System;
}

type Opened = { readonly session: SessionId; readonly cwd: string };

/** A reserved agent, in the state of its run. */
export interface ReservedAgent {
  readonly agent: Agent;
  readonly run: RunState;
}
type HandBack = ManualSessionEnd & { readonly type: "handed-back" };

/**
 * Reserves an agent for a person, while a process drives the run or later:
 *
 * S1  The session is on disk before the holder of the run is notified. The holder reserves the
 *     agent in the state file, between two of its steps, and only then the conversation is opened.
 *     If no process holds the run, it is reserved here, with the run's lock.
 * S2  While the agent is reserved, raymond starts no step of it. The process that drives the run
 *     checks whether the session is alive (`manual-session-files.ts`), and ends it otherwise.
 * S3  The end of a session is an input of the machine, once: it adds the cost of the session.
 */
export class ManualSession {
  readonly #options: ManualSessionOptions;
  readonly #at: number;
  #record: ManualSessionRecord | null = null;
  #opened: Opened | null = null;
  #owner: string | null = null;
  #processes: Promise<void> = Promise.resolve();

  constructor(options: ManualSessionOptions) {
    this.#options = options;
    this.#at = options.caller.now();
  }

  async reserve(): Promise<ReservedAgent> {
    const { view, onWait } = this.#options;
    const { id, store, artifacts } = view;
    let notifiedAt = Number.NEGATIVE_INFINITY;
    let idleSince = performance.now();
    let isReported = false;
    for (;;) {
      const run = await this.#load();
      const agent = this.#agentIn(run);
      if (agent.opened === this.#at) return { agent, run };
      const holder = await store.holder(id);
      if (holder === null) {
        await this.#reserveUnheld().catch(unlessLocked);
        continue;
      }
      await this.#start();
      const running = runningOf(agent);
      if (running !== null) {
        idleSince = performance.now();
        // The holder must know first: the step may end as soon as the person reads this.
        if (!isReported && notifiedAt > 0 && !hasPendingRequests(artifacts.requests)) {
          onWait({ state: stepName(agent), step: running.process });
          isReported = true;
        }
      }
      if (performance.now() - idleSince > REACTION_MS)
        throw openErrors["run/not-kept"](id, holder.pid);
      if (performance.now() - notifiedAt > NOTIFY_MS) {
        notifiedAt = performance.now();
        await this.#notifyHolder();
      }
      await delay(POLL_MS);
    }
  }

  /** `owner`: its coding agent. */
  async open({ owner, ...opened }: Opened & { readonly owner: string }): Promise<void> {
    this.#opened = opened;
    this.#owner = owner;
    await this.#record?.setConversation(opened);
  }

  /** Adds a process of the person, for example the client. */
  addProcess(pid: number): void {
    this.#processes = this.#processes
      .then(() => this.#record?.addProcess(pid))
      .catch(() => undefined);
  }

  /** Releases the agent unchanged. */
  async cancel(): Promise<void> {
    await this.#processes;
    await this.#record?.withdraw();
    if (this.#isReservedIn(await this.#load())) {
      await this.#handOver(this.#handBack(this.#at, null));
    } else {
      await this.#notifyHolder().catch(() => undefined);
    }
  }

  /** Releases the agent, and adds the cost of the session to the run. */
  async end(): Promise<HandedBack> {
    await this.#processes;
    const input = await this.#recall(this.#at, this.#opened);
    await this.#record?.close();
    const before = await this.#load();
    const isHeld = await this.#handOver(input);
    const after = await this.#load();
    const { budgetMicroUsd: budget } = after.settings;
    const isSpent = budget !== null && spent(after) >= budget;
    return {
      ...costOf(input, before),
      said: input.said !== null,
      budgetMicroUsd: isSpent ? budget : null,
      next: isHeld ? null : resumeAdvice(after, this.#options.view.program),
    };
  }

  /** S1 without a holder. A step that was in flight when raymond died is ended. */
  async #reserveUnheld(): Promise<void> {
    const { view, clients, agent: id, system } = this.#options;
    await this.#settle();
    await this.#apply(async (run) => {
      const agent = this.#agentIn(run);
      const running = runningOf(agent);
      if (running !== null) await system.processes.orphans(view.artifacts.groups).end(run.token);
      const session = running?.kind === "prompt" ? agent.session.id : null;
      const since = running === null ? this.#at : Date.parse(running.startedAt);
      const cwd = agent.cwd ?? run.launchDir;
      const part = running === null ? undefined : callPartOf(agent, running);
      const client = session === null ? null : await clients(ownerOf(run, session));
      const recalled =
        session === null || client === null
          ? null
          : await client.recall({ session, cwd, since, part });
      await this.#start();
      return { type: "opened", agent: id, at: this.#at, recalled };
    });
  }

  /** Records the end of an earlier session whose process was killed. */
  async #settle(): Promise<void> {
    const { view, agent, system } = this.#options;
    const since = (await this.#load()).agents.find((each) => each.id === agent)?.opened;
    if (since == null) return;
    const sessions = manualSessionsIn(view.artifacts.manualSessions, system);
    const last = (await sessions.list()).find((each) => each.agent === agent && each.at === since);
    await this.#apply(await this.#recall(since, last?.opened ?? null));
    if (last !== undefined) await sessions.remove(last);
  }

  /** Writes the record of this session. */
  async #start(): Promise<void> {
    const { view, agent, now, system } = this.#options;
    const session = { agent, at: this.#at, now };
    this.#record ??= await recordSessionIn(view.artifacts.manualSessions, session, system);
  }

  async #recall(since: number, opened: Opened | null): Promise<HandBack> {
    if (opened === null) return this.#handBack(since, null);
    const owner = this.#owner ?? ownerOf(await this.#load(), opened.session);
    const client = await this.#options.clients(owner);
    const recalled = await client.recall({ ...opened, since, byHand: true });
    const { session } = opened;
    const hasMessages = recalled?.hasPrompt === true;
    return this.#handBack(since, hasMessages ? { session, spend: recalled.spend } : null);
  }

  #handBack(opened: number, said: ManualSessionEnd["said"]): HandBack {
    return { type: "handed-back", agent: this.#options.agent, opened, said };
  }

  /** S3. Returns whether the process that holds the run has recorded it; otherwise it is recorded here. */
  async #handOver(input: HandBack): Promise<boolean> {
    const { id, store } = this.#options.view;
    const reacted = (run: RunState) => !this.#isReservedIn(run);
    for (;;) {
      // A holder that does not react polls every few seconds.
      if ((await request(store, id, [CHECK_SESSIONS], { reacted })) !== null) return true;
      try {
        await this.#apply(input);
        await this.#record?.withdraw();
        return false;
      } catch (error) {
        unlessLocked(error);
      }
    }
  }

  async #notifyHolder(): Promise<void> {
    const { id, store } = this.#options.view;
    const holder = await store.holder(id);
    if (holder !== null) await sendRequest(store, id, holder, CHECK_SESSIONS);
  }

  async #apply(input: Parameters<typeof recordInput>[2]): Promise<void> {
    const { view, caller } = this.#options;
    const events = await recordInput(view.store, view.id, input, caller.now());
    await logEvents(view.store, await this.#load(), events, caller);
  }

  #load(): Promise<RunState> {
    return loadNamed(this.#options.view.store, this.#options.view.id);
  }

  #agentIn({ id, agents }: RunState): Agent {
    const agent = agents.find((each) => each.id === this.#options.agent);
    if (agent === undefined) throw openErrors["run/agent-ended"](id, this.#options.agent);
    return agent;
  }

  #isReservedIn({ agents }: RunState): boolean {
    return agents.find((each) => each.id === this.#options.agent)?.opened === this.#at;
  }
}

const CHECK_SESSIONS = { look: "openings" } as const;

/** Another process has locked the run, and can receive a request. */
function unlessLocked(error: unknown): void {
  if (!(error instanceof RunLockedError)) throw error;
}

/** A process that holds a run reserves an idle agent at once. */
const REACTION_MS = 10_000;
/** Another process may hold the run by now. */
const NOTIFY_MS = 2_000;
const POLL_MS = 100;

function costOf({ said }: ManualSessionEnd, { baselines, prices }: RunState) {
  if (said === null) return { costMicroUsd: 0, estimatedMicroUsd: 0 };
  const { costMicroUsd, estimatedMicroUsd } = charge(
    said.spend,
    baselines[said.session] ?? 0,
    prices,
  );
  return { costMicroUsd, estimatedMicroUsd };
}
