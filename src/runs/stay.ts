import { setTimeout as delay } from "node:timers/promises";
import { runningOf } from "../core/machine/activity.ts";
import type { Agent, SessionId } from "../core/machine/agent.ts";
import { stepName } from "../core/machine/gate.ts";
import { charge } from "../core/machine/ledger.ts";
import type { HandBack } from "../core/machine/opening.ts";
import { partOf } from "../core/machine/recollection.ts";
import { type RunState, spent } from "../core/machine/run-state.ts";
import type { MicroUsd } from "../core/money.ts";
import { resumeAdvice } from "../observers/summary.ts";
import { RunLockedError } from "../stores/errors.ts";
import type { Caller } from "./caller.ts";
import { allConsumed, request, sendRequest } from "./control-requests.ts";
import type { Inspection } from "./inspect.ts";
import { loadNamed } from "./load-named.ts";
import { logEvents } from "./log-events.ts";
import { AgentEndedError, NotKeptError } from "./open-errors.ts";
import { recordInput } from "./record-input.ts";
import { RETRY_SIGNAL } from "./retry-signal.ts";
import type { ByHand } from "./wire/by-hand.ts";
import { beginVisitIn, type OwnVisit, openingsIn } from "./wire/openings.ts";
import { signalHolder } from "./wire/signal-holder.ts";
import type { NamedRun } from "./wire/stores.ts";

/*
 * How an agent is kept for a person, whoever drives the run, now or later:
 *
 * S1  The visit is on disk before anybody is told of it. A process that holds the run writes
 *     into the state that it keeps the agent, between two steps of its, and only then the
 *     conversation is opened; of a run that nobody holds this is written here, with its lock.
 * S2  While the state says so, no raymond starts a step of that agent. Whoever drives the run
 *     looks whether the visitor is there (`visit-files.ts`), and hears it where they are not.
 * S3  The end of a visit is an input of the machine, once: it counts what was spent by hand.
 */

/** The stay of a person in the conversation of an agent. */
export interface Stay {
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
  /** What it has cost, as far as the client tells; it counts toward the run. */
  readonly costMicroUsd: MicroUsd;
  readonly estimatedMicroUsd: MicroUsd;
  /** Set where the budget of the run is used up now. */
  readonly budgetMicroUsd: MicroUsd | null;
  /** The command that goes on with the run; null where a process does. */
  readonly next: string | null;
}

/** All that a stay needs of the run. */
export interface Visited extends NamedRun, Pick<Inspection, "run" | "artifacts" | "history"> {
  readonly hand: ByHand;
}

/** A step that is waited for. */
export interface Working {
  /** Its full name. */
  readonly state: string;
  readonly step: number;
}

interface Coming {
  /** Whether a prompt step that runs is interrupted. */
  readonly now: boolean;
  /** Told once, where it works. */
  readonly waits: (works: Working) => void;
}

/** Begins to wait for an agent. */
export async function beginStay(
  { id }: Agent,
  { now, waits }: Coming,
  visited: Visited,
  caller: Caller,
): Promise<Stay> {
  const { store, artifacts, hand, program } = visited;
  const run = visited.run.id;
  const at = caller.now();
  const { disk, processes } = await caller.system();
  const openings = openingsIn(artifacts.openings, { disk, processes });
  const begin = (): Promise<OwnVisit> =>
    beginVisitIn(artifacts.openings, { agent: id, at, now }, { disk, processes });
  const record = async (input: Parameters<typeof recordInput>[2]) => {
    const events = await recordInput(store, run, input, caller.now());
    await logEvents(events, await loadNamed(store, run), artifacts.events, caller);
  };
  let visit: OwnVisit | null = null;
  let opened: { readonly session: SessionId; readonly cwd: string } | null = null;
  let shown: Promise<void> = Promise.resolve();

  /** S1, where nobody holds the run: a step that was in flight when raymond died is broken off. */
  const keepAlone = async (): Promise<void> => {
    await settle();
    await record(async (found) => {
      const agent = found.agents.find((each) => each.id === id);
      if (agent === undefined) throw new AgentEndedError(run, id);
      const running = runningOf(agent);
      if (running !== null) await processes.leftovers(artifacts.groups).end(found.token);
      const session = running?.kind === "prompt" ? agent.session.id : null;
      const since = running === null ? at : Date.parse(running.startedAt);
      const cwd = agent.cwd ?? found.launchDir;
      const part = running === null ? undefined : partOf(agent, running);
      const recalled = session === null ? null : await hand.recall({ session, cwd, since, part });
      visit ??= await begin();
      return { type: "opened", agent: id, at, recalled };
    });
  };
  /** What a visitor has said who was killed, and whom nobody has heard. */
  const settle = async (): Promise<void> => {
    const since = (await loadNamed(store, run)).agents.find((each) => each.id === id)?.opened;
    if (since == null) return;
    const last = (await openings.list()).find((each) => each.agent === id && each.at === since);
    await record(await handBack(since, last?.opened ?? null));
    if (last !== undefined) await openings.forget(last);
  };
  const handBack = async (since: number, talked: typeof opened) => {
    const recalled = talked === null ? null : await hand.recall({ ...talked, since, byHand: true });
    const said: HandBack["said"] =
      talked !== null && recalled?.heard === true
        ? { session: talked.session, spend: recalled.spend }
        : null;
    return { type: "handed-back", agent: id, opened: since, said } as const;
  };
  const nudge = async (): Promise<void> => {
    const holder = await store.holder(run);
    if (holder === null) return;
    await sendRequest(store, run, holder, LOOK);
    await signalHolder(store, run, RETRY_SIGNAL, holder);
  };
  const keptAgent = async (): Promise<Agent> => {
    let nudged = Number.NEGATIVE_INFINITY;
    let idleSince = performance.now();
    let isTold = false;
    for (;;) {
      const agent = (await loadNamed(store, run)).agents.find((each) => each.id === id);
      if (agent === undefined) throw new AgentEndedError(run, id);
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
        if (!isTold && nudged > 0 && allConsumed(artifacts.requests)) {
          waits({ state: stepName(agent), step: running.process });
          isTold = true;
        }
      }
      if (performance.now() - idleSince > REACTION_MS) throw new NotKeptError(run, holder.pid);
      if (performance.now() - nudged > NUDGE_MS) {
        nudged = performance.now();
        await nudge();
      }
      await delay(POLL_MS);
    }
  };
  /** S3. Whether a process that holds the run has heard it; else it is recorded here. */
  const handOver = async (input: Awaited<ReturnType<typeof handBack>>): Promise<boolean> => {
    for (;;) {
      const reacted = (state: RunState) =>
        state.agents.find((each) => each.id === id)?.opened !== at;
      // A holder that does not react polls every few seconds.
      if ((await request(store, run, LOOK, { reacted })) !== null) return true;
      try {
        await record(input);
        await visit?.withdraws();
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
      await visit?.opens(opened);
    },
    shows: (pid) => {
      shown = shown.then(() => visit?.shows(pid)).catch(() => undefined);
    },
    withdraw: async () => {
      await shown;
      await visit?.withdraws();
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
      await visit?.leaves();
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

/** Somebody has begun to hold the run, and can be told. */
function unlessLocked(error: unknown): void {
  if (!(error instanceof RunLockedError)) throw error;
}

/** A process that holds a run keeps an idle agent at once. */
const REACTION_MS = 10_000;
/** Another process may hold the run by now. */
const NUDGE_MS = 2_000;
const POLL_MS = 100;

function costOf({ said }: HandBack, { baselines, prices }: RunState) {
  if (said === null) return { costMicroUsd: 0, estimatedMicroUsd: 0 };
  const { costMicroUsd, estimatedMicroUsd } = charge(
    said.spend,
    baselines[said.session] ?? 0,
    prices,
  );
  return { costMicroUsd, estimatedMicroUsd };
}
