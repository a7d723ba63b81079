// The run loop
//
// Drives the pure machine in `core/machine` with effects. Invariants:
//
//   E1  One writer: only this loop replaces `run`, one input at a time.
//   E2  Save before act: no step starts from a state that is not saved, and
//       nobody is told of a fact that is not saved.
//   E3  The machine decides: what starts, stops and ends is in the state that
//       `advance` gives, so resuming after a crash is the same path as starting.
//   E4  At least once: a step in flight at a crash is continued or run again.
//   E5  Money is never lost: a failed attempt's cost is counted all the same.
//   E6  Nothing is left behind: whatever makes the loop end, every step that it
//       started has ended before it returns or throws.
//   E7  One order of facts: all that is told, by the machine or by a step, goes
//       through the inbox, so an observer never sees a run that jumps back,
//       and each event takes the next number of the run.

import { advance, type Input } from "../core/machine/advance.ts";
import type { AgentId } from "../core/machine/agent.ts";
import { sessionsFor } from "../core/machine/look.ts";
import { wakeAt } from "../core/machine/plan.ts";
import { questionsOf } from "../core/machine/question.ts";
import { inFlight } from "../core/machine/roster.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { signalWord } from "../core/machine/signal-word.ts";
import { isLive } from "../core/machine/stop.ts";
import { waitProgress } from "../core/machine/wait-progress.ts";
import { waitsBegun } from "../core/machine/waits-begun.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { tellEnded } from "./ended-leftovers.ts";
import type { Control, Engine } from "./engine.ts";
import { Inbox } from "./inbox.ts";
import { saveRun } from "./save.ts";
import { Shutdown, whenAborted } from "./shutdown.ts";
import { type Progress, stepAgent } from "./step-agent.ts";
import { Telling } from "./telling.ts";
import { Visits } from "./visits.ts";

/** The longest sleep, ms: a suspended machine wakes by wall clock, not by a timer that stood still. */
const LONGEST_SLEEP_MS = 30_000;

/** So often answers are looked for, ms, and who has left a conversation: on another machine, or killed, they cannot say so. */
const BETWEEN_LOOKS_MS = 5_000;

/** A spawn is a fork, and takes a millisecond or two in which nobody is answered. */
const SPAWNS_AT_ONCE = 8;

type Message = Input | Progress | { readonly type: "tick" };

/**
 * Steps every agent that may step, concurrently, until the run is over. What
 * arrives together is advanced one by one and saved once, together with the
 * record of the steps that start next.
 */
export function runLoop(saved: RunState, engine: Engine, control: Control): Promise<RunState> {
  const { clock, observer, platform } = engine;
  const inbox = new Inbox<Message>();
  const flying = new Set<Promise<Message>>();
  const shutdown = new Shutdown(clock, control);
  const visits = new Visits(saved, engine);
  let timer: AbortController | null = null;
  let run = saved;
  let lookedAt: number | null = null;
  /** How many events were told since the run was saved: the next record of the journal counts them. */
  let unrecorded = 0;

  whenAborted(control.interrupt, () => {
    inbox.deliver({ type: "stopped", reason: interrupted(control.interrupt, platform) });
  });
  control.onStopAfterSteps(() => {
    inbox.deliver({ type: "stopped", reason: AFTER_STEPS });
  });
  control.onRetryNow(() => {
    inbox.deliver({ type: "retry-now", at: clock.now() });
  });
  control.onWake((agent) => {
    inbox.deliver({ type: "woke", agent });
  });
  control.onAnswer(() => {
    inbox.deliver({ type: "tick" });
  });
  control.onVisit(() => {
    visits.announce();
    inbox.deliver({ type: "tick" });
  });

  /** Whether the run is over now. What one pass needs is let go before the next: thousands of runs may wait beside each other. */
  const pass = async (arrived: readonly Message[]): Promise<boolean> => {
    // Most of what steps tell changes nothing: nobody need look for work.
    if (arrived.length > 0 && arrived.every((message) => message.type === "event")) {
      for (const { event } of arrived) {
        unrecorded += 1;
        observer.notify(event, run, run.seq + unrecorded);
      }
      return false;
    }
    timer?.abort();
    const now = clock.now();
    const telling = new Telling(run, unrecorded);
    hear(arrived, telling);

    await takeAnswers(telling, run, now, engine);
    await visits.look(telling, run);
    // Reading them takes time: no step starts after an interrupt that has come meanwhile.
    hear(inbox.arrived(), telling);
    visits.keep(telling, (agent) => {
      shutdown.interruptStep(agent);
    });
    const over = await look(telling, now, engine, control);
    const { run: next } = telling;
    telling.tell(...waitProgress(run, next, lookedAt, now));
    telling.tell(...waitsBegun(run, next, lookedAt, now));
    lookedAt = now;

    const started = startedSince(run, next);
    if (telling.changed) {
      const updatedAt = new Date(now).toISOString();
      const { inputs } = telling;
      run = await saveRun(telling.run, { updatedAt, from: null, inputs }, engine); // E2
    }
    telling.notify(observer, run);
    unrecorded = telling.changed ? 0 : unrecorded + telling.count;
    if (over) return true;
    if (run.stopReason !== null) shutdown.begin(run.stopReason);

    for (const [index, agent] of started.entries()) {
      if (index > 0 && index % SPAWNS_AT_ONCE === 0) await othersTurn();
      const step = stepAgent(run, agent, engine, shutdown, (progress) => {
        inbox.deliver(progress);
      });
      flying.add(step);
      inbox.expect(step.finally(() => flying.delete(step)));
    }
    timer = wakeUp(run, now, engine, inbox, visits.awaited);
    return false;
  };

  const loop = async (): Promise<RunState> => {
    try {
      // A signal may have come before the loop: then its first pass starts nothing.
      let over = await pass(inbox.arrived());
      while (!over) over = await pass(await inbox.take());
      return run;
    } catch (error) {
      shutdown.interrupt(); // E6
      await Promise.allSettled(flying);
      throw error;
    } finally {
      timer?.abort();
      shutdown.end();
    }
  };
  return loop();
}

function hear(messages: readonly Message[], telling: Telling): void {
  for (const message of messages) {
    if (message.type === "event") telling.tell(message.event);
    else if (message.type !== "tick") telling.advance(message);
  }
}

/**
 * An answer that was given in time is heard before the time of its question is over. The time of one that
 * is not saved is not: where raymond died before that, the next question of its number would find its
 * place closed.
 */
async function takeAnswers(
  telling: Telling,
  saved: RunState,
  at: number,
  { answers }: Engine,
): Promise<void> {
  const open = questionsOf(telling.run);
  if (open.length === 0) return;
  const known = new Set(questionsOf(saved).map(({ number }) => number));
  const asked = open.map((each) => (known.has(each.number) ? each : { ...each, until: null }));
  for (const answer of await answers.take(asked, at)) {
    telling.advance({ type: "answered", ...answer });
  }
}

/**
 * Looks what there is to do. Whether the run is over: then what its steps have
 * left running is ended, and told before the end of the run.
 */
async function look(
  telling: Telling,
  at: number,
  { ids, leftovers }: Engine,
  control: Pick<Control, "attended" | "parks">,
): Promise<boolean> {
  const { run } = telling;
  const sessions = Array.from({ length: sessionsFor(run) }, () => ids.session());
  const [attended, parks] = [control.attended(), control.parks()];
  const how = { ...(attended && { attended }), ...(parks && { parks }) };
  const input: Input = { type: "looked", at, sessions, ...how };
  const looked = advance(run, input);
  const over = !isLive(looked[0]);
  const ended = over ? tellEnded((await leftovers.end(run.token)).ended) : [];
  telling.tell(...ended);
  // Its events come after those, and have later numbers.
  if (ended.length > 0) telling.advance(input);
  else telling.take(input, looked);
  return over;
}

/** Lets signals, outputs and ends of other steps be heard. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** The agents whose step starts when this is saved. */
function startedSince(before: RunState, after: RunState): readonly AgentId[] {
  return inFlight(after).flatMap(({ id, activity }) => {
    return activity.process > before.processes ? id : [];
  });
}

/** Looks again when it is time; `lookedAt`: what was due then has been started. */
function wakeUp(
  run: RunState,
  lookedAt: number,
  { clock }: Engine,
  inbox: Inbox<Message>,
  visited: boolean,
): AbortController | null {
  const next = wakeAt(run, lookedAt);
  const asks = isLive(run) && (visited || questionsOf(run).length > 0);
  if (next === null && !asks) return null;
  const timer = new AbortController();
  const longest = asks ? BETWEEN_LOOKS_MS : LONGEST_SLEEP_MS;
  const ms = Math.min(longest, Math.max(0, (next ?? Infinity) - clock.now()));
  void clock.sleep(ms, timer.signal).then(() => {
    if (!timer.signal.aborted) inbox.deliver({ type: "tick" });
  });
  return timer;
}

/** It is as if it were interrupted, and nothing is: it can be resumed in the same way. */
const AFTER_STEPS: Extract<Input, { type: "stopped" }>["reason"] = {
  class: "interrupted",
  message: "Stopped after the steps in flight, as asked.",
  agent: null,
  state: null,
  signal: "SIGINT",
};

function interrupted(
  signal: AbortSignal,
  platform: Platform,
): Extract<Input, { type: "stopped" }>["reason"] {
  const name: unknown = signal.reason;
  const known = name === "SIGTERM" || name === "SIGHUP" ? name : "SIGINT";
  const message = `Interrupted by ${signalWord(known, platform)}.`;
  return { class: "interrupted", message, agent: null, state: null, signal: known };
}
