import { setTimeout as delay } from "node:timers/promises";
import { resumeAdvice } from "../../console/summary.ts";
import type { Inspection } from "../../inspect/inspect.ts";
import type { MicroUsd } from "../../language/basics/money.ts";
import { runningOf } from "../../machine/activity.ts";
import type { Agent, SessionId } from "../../machine/agent.ts";
import type { ManualSessionEnd } from "../../machine/manual-session.ts";
import { callPartOf } from "../../machine/record/recovered-session.ts";
import { type RunState, spent } from "../../machine/run-state.ts";
import { charge } from "../../machine/spend/ledger.ts";
import { stepName } from "../../machine/step/gate.ts";
import { RunLockedError } from "../../storage/errors.ts";
import { hasPendingRequests } from "../../storage/request-files.ts";
import type { Caller } from "../../wire/caller.ts";
import { beginVisitIn, type OwnVisit, openingsIn } from "../../wire/engine/openings.ts";
import { loadNamed } from "../../wire/load-named.ts";
import type { NamedRun } from "../../wire/stores.ts";
import { request, sendRequest } from "../control/control-requests.ts";
import { openErrors } from "../errors.ts";
import { logEvents } from "../log-events.ts";
import { recordInput } from "../record-input.ts";
import type { ManualClient } from "./manual-client.ts";

/*
 * How an agent is reserved for a person, while a process drives the run or later:
 *
 * S1  The session is on disk before the holder of the run is notified. The holder reserves the
 *     agent in the state file, between two of its steps, and only then the conversation is opened.
 *     If no process holds the run, it is reserved here, with the run's lock.
 * S2  While the agent is reserved, raymond starts no step of it. The process that drives the run
 *     checks whether the session is alive (`manual-session-files.ts`), and ends it otherwise.
 * S3  The end of a session is an input of the machine, once: it adds the cost of the session.
 */

/** The stay of a person in the conversation of an agent. */
export interface ManualSession {
  /** The agent as it is kept. Rejects where it cannot be. */
  readonly agent: () => Promise<Agent>;
  readonly opens: (session: SessionId, cwd: string) => Promise<void>;
  /** Another process that the person is there with. */
  readonly shows: (pid: number) => void;
  /** As if they had not come. */
  readonly withdraw: () => Promise<void>;
  readonly leave: () => Promise<HandedBack>;
}

/** What has become of what a person has said. */
export interface HandedBack {
  readonly said: boolean;
  /** Its cost as far as the client reports it. It counts toward the budget of the run. */
  readonly costMicroUsd: MicroUsd;
  readonly estimatedMicroUsd: MicroUsd;
  /** Set where the budget of the run is used up now. */
  readonly budgetMicroUsd: MicroUsd | null;
  /** The command that resumes the run; null if a process drives it. */
  readonly next: string | null;
}

/** All that a stay needs of the run. */
export interface ManualSessionRun
  extends NamedRun,
    Pick<Inspection, "run" | "artifacts" | "history"> {
  readonly hand: ManualClient;
}

/** A step that is waited for. */
export interface StepInProgress {
  /** Its full name. */
  readonly state: string;
  readonly step: number;
}

interface Coming {
  /** Whether a prompt step that runs is interrupted. */
  readonly now: boolean;
  /** Called once, if a step of the agent is in progress. */
  readonly waits: (works: StepInProgress) => void;
}

/** Begins to wait for an agent. */
export async function openManualSession(
  { id }: Agent,
  { now, waits }: Coming,
  visited: ManualSessionRun,
  caller: Caller,
): Promise<ManualSession> {
  const { store, artifacts, hand, program } = visited;
  const run = visited.run.id;
  const at = caller.now();
  const { disk, processes } = await caller.system();
  const openings = openingsIn(artifacts.manualSessions, { disk, processes });
  const begin = (): Promise<OwnVisit> =>
    beginVisitIn(artifacts.manualSessions, { agent: id, at, now }, { disk, processes });
  const record = async (input: Parameters<typeof recordInput>[2]) => {
    const events = await recordInput(store, run, input, caller.now());
    await logEvents(store, await loadNamed(store, run), events, caller);
  };
  let visit: OwnVisit | null = null;
  let opened: { readonly session: SessionId; readonly cwd: string } | null = null;
  let shown: Promise<void> = Promise.resolve();

  /** S1 without a holder: a step that was in flight when raymond died is ended. */
  const keepAlone = async (): Promise<void> => {
    await settle();
    await record(async (found) => {
      const agent = found.agents.find((each) => each.id === id);
      if (agent === undefined) throw openErrors["run/agent-ended"](run, id);
      const running = runningOf(agent);
      if (running !== null) await processes.orphans(artifacts.groups).end(found.token);
      const session = running?.kind === "prompt" ? agent.session.id : null;
      const since = running === null ? at : Date.parse(running.startedAt);
      const cwd = agent.cwd ?? found.launchDir;
      const part = running === null ? undefined : callPartOf(agent, running);
      const recalled = session === null ? null : await hand.recall({ session, cwd, since, part });
      visit ??= await begin();
      return { type: "opened", agent: id, at, recalled };
    });
  };
  /** Records a session whose process was killed before it was handed back. */
  const settle = async (): Promise<void> => {
    const since = (await loadNamed(store, run)).agents.find((each) => each.id === id)?.opened;
    if (since == null) return;
    const last = (await openings.list()).find((each) => each.agent === id && each.at === since);
    await record(await handBack(since, last?.opened ?? null));
    if (last !== undefined) await openings.remove(last);
  };
  const handBack = async (since: number, talked: typeof opened) => {
    const recalled = talked === null ? null : await hand.recall({ ...talked, since, byHand: true });
    const said: ManualSessionEnd["said"] =
      talked !== null && recalled?.heard === true
        ? { session: talked.session, spend: recalled.spend }
        : null;
    return { type: "handed-back", agent: id, opened: since, said } as const;
  };
  const nudge = async (): Promise<void> => {
    const holder = await store.holder(run);
    if (holder !== null) await sendRequest(store, run, holder, LOOK);
  };
  const keptAgent = async (): Promise<Agent> => {
    let nudged = Number.NEGATIVE_INFINITY;
    let idleSince = performance.now();
    let isReported = false;
    for (;;) {
      const agent = (await loadNamed(store, run)).agents.find((each) => each.id === id);
      if (agent === undefined) throw openErrors["run/agent-ended"](run, id);
      if (agent.opened === at) return agent;
      const holder = await store.holder(run);
      if (holder === null) {
        await keepAlone().catch(unlessLocked);
        continue;
      }
      visit ??= await begin();
      const running = runningOf(agent);
      if (running !== null) {
        idleSince = performance.now();
        // Not before it is known there: the step may end as soon as a person reads that.
        if (!isReported && nudged > 0 && !hasPendingRequests(artifacts.requests)) {
          waits({ state: stepName(agent), step: running.process });
          isReported = true;
        }
      }
      if (performance.now() - idleSince > REACTION_MS)
        throw openErrors["run/not-kept"](run, holder.pid);
      if (performance.now() - nudged > NUDGE_MS) {
        nudged = performance.now();
        await nudge();
      }
      await delay(POLL_MS);
    }
  };
  /** S3. Whether a process that holds the run has recorded it; otherwise it is recorded here. */
  const handOver = async (input: Awaited<ReturnType<typeof handBack>>): Promise<boolean> => {
    for (;;) {
      const reacted = (state: RunState) =>
        state.agents.find((each) => each.id === id)?.opened !== at;
      // A holder that does not react polls every few seconds.
      if ((await request(store, run, [LOOK], { reacted })) !== null) return true;
      try {
        await record(input);
        await visit?.withdraw();
        return false;
      } catch (error) {
        unlessLocked(error);
      }
    }
  };

  return {
    agent: keptAgent,
    opens: async (session, cwd) => {
      opened = { session, cwd };
      await visit?.setConversation(opened);
    },
    shows: (pid) => {
      shown = shown.then(() => visit?.addProcess(pid)).catch(() => undefined);
    },
    withdraw: async () => {
      await shown;
      await visit?.withdraw();
      const state = await loadNamed(store, run);
      if (state.agents.find((each) => each.id === id)?.opened !== at) {
        await nudge().catch(() => undefined);
        return;
      }
      await handOver({ type: "handed-back", agent: id, opened: at, said: null });
    },
    leave: async () => {
      await shown;
      const input = await handBack(at, opened);
      await visit?.close();
      const before = await loadNamed(store, run);
      const isHeld = await handOver(input);
      const after = await loadNamed(store, run);
      const { budgetMicroUsd: budget } = after.settings;
      const next = isHeld ? null : resumeAdvice(after, program);
      const isSpent = budget !== null && spent(after) >= budget;
      return {
        ...costOf(input, before),
        said: input.said !== null,
        budgetMicroUsd: isSpent ? budget : null,
        next,
      };
    },
  };
}

const LOOK = { look: "openings" } as const;

/** Another process has locked the run, and can receive a request. */
function unlessLocked(error: unknown): void {
  if (!(error instanceof RunLockedError)) throw error;
}

/** A process that holds a run keeps an idle agent at once. */
const REACTION_MS = 10_000;
/** Another process may hold the run by now. */
const NUDGE_MS = 2_000;
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
