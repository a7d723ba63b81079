// The run loop: drives the pure machine in `src/machine` with effects. Invariants:
//   E1  One writer: only this loop replaces `run`, one input at a time.
//   E2  Save before act: no step starts from an unsaved state, and no unsaved fact is reported.
//   E3  The machine decides: what starts, stops and ends is in the state that `advance` returns, so
//       resuming after a crash uses the same path as starting.
//   E4  At least once: a step in flight at a crash is continued or run again.
//   E5  Costs are never lost: the cost of a failed attempt is counted too.
//   E6  No orphans: however the loop ends, every step that it started has ended before it returns
//       or throws.
//   E7  One order of events: all events, from the machine or from steps, go through the inbox, so
//       that an observer never sees a run go back, and each event gets the next number.

import { advance, type Input } from "../machine/advance.ts";
import type { AgentId } from "../machine/model/agent.ts";
import { inFlight } from "../machine/model/roster.ts";
import type { Candidates, RunState } from "../machine/model/run-state.ts";
import { questionsOf } from "../machine/moves/question.ts";
import { isLive } from "../machine/moves/stop.ts";
import { sessionIdsNeeded } from "../machine/steps/schedule.ts";
import { startedWaits } from "../machine/waits/started-waits.ts";
import { waitProgress } from "../machine/waits/wait-progress.ts";
import type { Control, Engine } from "./engine.ts";
import { EventBatch } from "./event-batch.ts";
import { eventsBeforeEnd } from "./events-before-end.ts";
import { Inbox } from "./inbox.ts";
import { ManualSessionTracker } from "./manual-session-tracker.ts";
import { findCandidates } from "./prepare/find-candidates.ts";
import { type Progress, stepAgent } from "./prepare/step-agent.ts";
import { saveRun } from "./save.ts";
import { AFTER_STEPS, interrupted, Shutdown, whenAborted } from "./shutdown.ts";
import { scheduleWakeUp } from "./wake-up.ts";

/** A spawn blocks the event loop for a millisecond or two. */
const SPAWNS_AT_ONCE = 8;

type Message = Input | Progress | { readonly type: "tick" };

/**
 * Steps every ready agent, concurrently, until the run is over. Messages that arrive together are
 * applied one by one and saved once, together with the record of the steps that start next.
 */
export function runLoop(saved: RunState, engine: Engine, control: Control): Promise<RunState> {
  return new RunLoop(saved, engine, control).run();
}

class RunLoop {
  readonly #engine: Engine;
  readonly #control: Control;
  readonly #inbox = new Inbox<Message>();
  readonly #pending = new Set<Promise<Message>>();
  readonly #shutdown: Shutdown;
  readonly #manualSessions: ManualSessionTracker;
  /** Ended agents whose files are being committed. */
  readonly #closing = new Set<AgentId>();
  #timer: AbortController | null = null;
  #run: RunState;
  #lastPassAt: number | null = null;
  /** Events reported since the last save. The next journal record counts them. */
  #unrecorded = 0;

  constructor(saved: RunState, engine: Engine, control: Control) {
    this.#run = saved;
    this.#engine = engine;
    this.#control = control;
    this.#shutdown = new Shutdown(engine.clock, control);
    this.#manualSessions = new ManualSessionTracker(saved, engine);
    const { clock, platform } = engine;
    const deliver = (message: Message): void => {
      this.#inbox.deliver(message);
    };
    whenAborted(control.interrupt, () => {
      deliver({ type: "stopped", reason: interrupted(control.interrupt, platform) });
    });
    control.onStopAfterSteps(() => {
      deliver({ type: "stopped", reason: AFTER_STEPS });
    });
    control.onRetryNow(() => {
      deliver({ type: "retry-now", at: clock.now() });
    });
    control.onWake((agent) => {
      deliver({ type: "woke", agent });
    });
    control.onAnswer(() => {
      deliver({ type: "tick" });
    });
    control.onSetResult((given) => {
      deliver({ type: "result-set", ...given });
    });
    control.onControlled((controlled) => {
      const { id: run } = saved;
      deliver({ type: "event", event: { type: "run.controlled", run, ...controlled } });
    });
    control.onManualSession(() => {
      this.#manualSessions.announce();
      deliver({ type: "tick" });
    });
  }

  async run(): Promise<RunState> {
    try {
      // After an early signal, the first pass starts nothing.
      let over = await this.#pass(this.#inbox.drain());
      while (!over) over = await this.#pass(await this.#inbox.receive());
      return this.#run;
    } catch (error) {
      this.#shutdown.interrupt(); // E6
      await Promise.allSettled(this.#pending);
      throw error;
    } finally {
      this.#timer?.abort();
      this.#shutdown.end();
    }
  }

  /**
   * Returns whether the run is over. Keeps nothing between passes: thousands of runs may wait in
   * one process.
   */
  async #pass(arrived: readonly Message[]): Promise<boolean> {
    // Most events change nothing, so no scheduling is needed.
    if (arrived.length > 0 && arrived.every((message) => message.type === "event")) {
      for (const { event } of arrived) {
        this.#unrecorded += 1;
        this.#engine.observer.notify(event, this.#run, this.#run.seq + this.#unrecorded);
      }
      return false;
    }
    this.#timer?.abort();
    const now = this.#engine.clock.now();
    const batch = new EventBatch(this.#run, this.#unrecorded);
    applyMessages(arrived, batch);

    await collectAnswers(batch, this.#run, now, this.#engine);
    await this.#manualSessions.refresh(batch, this.#run);
    // Reading takes time: no step may start after an interrupt in the meantime.
    this.#applyArrived(batch);
    const backends = await this.#candidates(batch, now);
    this.#manualSessions.reserveAgents(batch, (agent) => {
      this.#shutdown.interruptStep(agent);
    });
    const over = await schedule(
      batch,
      { at: now, backends },
      this.#engine,
      this.#control,
      this.#inbox,
    );
    const started = await this.#save(batch, now);
    if (over) return true;
    if (this.#run.stopReason !== null) this.#shutdown.begin(this.#run.stopReason);
    await this.#start(started);
    this.#closeWorktrees();
    for (const { id, setResult } of inFlight(this.#run)) {
      if (setResult !== null) this.#shutdown.interruptStep(id);
    }
    const isWatched = this.#manualSessions.isActive;
    this.#timer = scheduleWakeUp(this.#run, now, this.#engine.clock, isWatched, () => {
      this.#inbox.deliver({ type: "tick" });
    });
    return false;
  }

  /** Reads the coding agents of the next prompts, and of those that messages make due meanwhile. */
  async #candidates(batch: EventBatch, now: number): Promise<Candidates> {
    let found: Candidates = {};
    do {
      found = { ...found, ...(await findCandidates(batch.run, now, this.#engine)) };
    } while (this.#applyArrived(batch));
    return found;
  }

  /**
   * Applies messages that arrived during a pass. Returns whether they may have changed the run. Ticks
   * stay for the next pass: this one has collected answers already.
   */
  #applyArrived(batch: EventBatch): boolean {
    const arrived = this.#inbox.drain();
    applyMessages(arrived, batch);
    if (arrived.some(({ type }) => type === "tick")) this.#inbox.deliver({ type: "tick" });
    return arrived.some(({ type }) => type !== "tick" && type !== "event");
  }

  /** Saves the run if it has changed, and notifies the observer. Returns the agents whose steps start. */
  async #save(batch: EventBatch, now: number): Promise<readonly AgentId[]> {
    const { run: next } = batch;
    batch.report(...waitProgress(this.#run, next, this.#lastPassAt, now));
    batch.report(...startedWaits(this.#run, next, this.#lastPassAt, now));
    this.#lastPassAt = now;
    const started = startedSince(this.#run, next);
    if (batch.changed) {
      const record = { updatedAt: new Date(now).toISOString(), from: null, inputs: batch.inputs };
      this.#run = await saveRun(batch.run, record, this.#engine); // E2
    }
    batch.notify(this.#engine.observer, this.#run);
    this.#unrecorded = batch.changed ? 0 : this.#unrecorded + batch.eventCount;
    return started;
  }

  /** Also those of agents that ended before a crash. */
  #closeWorktrees(): void {
    const { worktrees } = this.#engine;
    for (const worktree of this.#run.closing ?? []) {
      const { agent } = worktree;
      if (worktrees === undefined || this.#closing.has(agent)) continue;
      this.#closing.add(agent);
      const ended = worktrees
        .end(this.#run.id, worktree)
        .then((end): Message => ({ type: "worktree-ended", agent, ...end }))
        .finally(() => this.#pending.delete(ended));
      this.#pending.add(ended);
      this.#inbox.expect(ended);
    }
  }

  async #start(agents: readonly AgentId[]): Promise<void> {
    for (const [index, agent] of agents.entries()) {
      if (index > 0 && index % SPAWNS_AT_ONCE === 0) await yieldToEventLoop();
      const step = stepAgent(this.#run, agent, this.#engine, this.#shutdown, (progress) => {
        this.#inbox.deliver(progress);
      });
      this.#pending.add(step);
      this.#inbox.expect(step.finally(() => this.#pending.delete(step)));
    }
  }
}

function applyMessages(messages: readonly Message[], batch: EventBatch): void {
  for (const message of messages) {
    if (message.type === "event") batch.report(message.event);
    else if (message.type !== "tick") batch.advance(message);
  }
}

/**
 * Applies answers before their questions expire. An unsaved question cannot expire: after a crash
 * the next question with its number would find its place closed.
 */
async function collectAnswers(
  batch: EventBatch,
  saved: RunState,
  at: number,
  { answers }: Engine,
): Promise<void> {
  const open = questionsOf(batch.run);
  if (open.length === 0) return;
  const known = new Set(questionsOf(saved).map(({ number }) => number));
  const asked = open.map((each) => (known.has(each.number) ? each : { ...each, until: null }));
  for (const answer of await answers.collect(asked, at)) {
    batch.advance({ type: "answered", ...answer });
  }
}

/**
 * Schedules work. Returns whether the run is over; then reports what must precede its end.
 */
async function schedule(
  batch: EventBatch,
  { at, backends }: { readonly at: number; readonly backends: Candidates },
  engine: Engine,
  control: Control,
  inbox: Inbox<Message>,
): Promise<boolean> {
  const { run } = batch;
  const sessions = Array.from({ length: sessionIdsNeeded(run) }, () => engine.ids.session());
  const [attended, parks] = [control.attended(), control.parksWhenIdle()];
  const isChanged = Object.keys(backends).length > 0;
  const how = {
    ...(attended && { attended }),
    ...(parks && { parks }),
    ...(isChanged && { backends }),
  };
  const input: Input = { type: "looked", at, sessions, ...how };
  const scheduled = advance(run, input);
  const over = !isLive(scheduled[0]);
  const drain = () => inbox.drain().flatMap((each) => (each.type === "event" ? each : []));
  const ended = over ? await eventsBeforeEnd(run.token, engine, control, drain) : [];
  batch.report(...ended);
  // They shift the numbers of the machine's events.
  if (ended.length > 0) batch.advance(input);
  else batch.apply(input, scheduled);
  return over;
}

/** Lets the event loop process signals, output and ends of other steps. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** The agents whose steps start after this save. */
function startedSince(before: RunState, after: RunState): readonly AgentId[] {
  return inFlight(after).flatMap(({ id, activity }) => {
    return activity.process > before.processes ? id : [];
  });
}
