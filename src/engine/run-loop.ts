// The run loop
//
// Drives the pure machine in `core/machine` with effects. Invariants:
//
//   E1  One writer: only this loop replaces `run`, one input at a time.
//   E2  Save before act: no step starts from a state that is not saved, and
//       nobody is told of a fact that is not saved.
//   E3  Work is derived: `plan(run)` is the only source of steps, so resuming
//       after a crash is the same code path as starting.
//   E4  At least once: a step in flight at a crash is continued or run again.
//   E5  Money is never lost: a failed attempt's cost is counted all the same.
//   E6  Nothing is left behind: whatever makes the loop end, every step that it
//       started has ended before it returns or throws.

import { advance, type Input } from "../core/machine/advance.ts";
import type { AgentId } from "../core/machine/agent.ts";
import { countDown } from "../core/machine/countdown.ts";
import type { Event } from "../core/machine/event.ts";
import { named, type Plan, plan } from "../core/machine/plan.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { endRun } from "../core/machine/stop.ts";
import { waitsBegun } from "../core/machine/waits-begun.ts";
import { Drain, whenAborted } from "./drain.ts";
import type { Control, Engine } from "./engine.ts";
import { Inbox } from "./inbox.ts";
import { tellEnded } from "./leftovers.ts";
import { stepAgent } from "./step-agent.ts";

/** The longest sleep, ms: a suspended machine wakes by wall clock, not by a timer that stood still. */
const LONGEST_SLEEP_MS = 30_000;

type Message = Input | { readonly type: "tick" };

/**
 * Steps every agent that may step, concurrently, until the run is over. What
 * arrives together is advanced one by one and saved once, together with the
 * record of the steps that start next.
 */
export async function runLoop(
  saved: RunState,
  engine: Engine,
  control: Control,
): Promise<RunState> {
  const { clock, store, observer } = engine;
  const inbox = new Inbox<Message>();
  const flying = new Set<Promise<Message>>();
  const drain = new Drain(clock, control);
  const order = new Set<AgentId>();
  let timer: AbortController | null = null;
  let run = saved;
  let lookedAt: number | null = null;

  whenAborted(control.interrupt, () => {
    inbox.deliver({ type: "stopped", reason: interrupted(control.interrupt) });
  });
  control.onHurry(() => {
    inbox.deliver({ type: "hurried", at: clock.now() });
  });

  try {
    // A signal may have come before the loop: then its first pass starts nothing.
    for (let arrived = inbox.arrived(); ; arrived = await inbox.take()) {
      timer?.abort();
      const now = clock.now();
      const told: Event[] = [];
      let next = run;
      const tell = (input: Input) => {
        const [advanced, events] = advance(next, input);
        next = advanced;
        told.push(...events);
      };
      for (const message of arrived) if (message.type !== "tick") tell(message);

      queueIdle(next, order);
      const planned = plan(next, now, [...order]);
      if (planned.stop !== null) tell({ type: "stopped", reason: planned.stop });
      for (const agent of planned.starts) {
        tell({ type: "started", agent, at: now, session: engine.ids.session() });
        // Its place is free, though it may be idle again when the loop looks next.
        order.delete(agent);
      }
      const [closed, closing] = endRun(named(next, planned));
      const over = closed.status !== "running" && closed.status !== "waiting";
      if (over) told.push(...tellEnded(await engine.leftovers.end(closed.token)));
      told.push(...closing, ...countDown(run, closed, lookedAt, now));
      told.push(...waitsBegun(run, closed, lookedAt, now));
      lookedAt = now;

      if (closed !== run) {
        next = { ...closed, updatedAt: new Date(now).toISOString() };
        await store.save(next); // E2
        run = next;
      }
      for (const event of told) observer.notify(event, run);
      if (over) return run;
      if (run.stopReason !== null) drain.begin(run.stopReason);

      for (const agent of planned.starts) {
        const step = stepAgent(run, agent, engine, drain, (progress) => {
          inbox.deliver(progress);
        });
        flying.add(step);
        inbox.expect(step.finally(() => flying.delete(step)));
      }
      timer = wakeUp(planned, engine, inbox);
    }
  } catch (error) {
    drain.interrupt(); // E6
    await Promise.allSettled(flying);
    throw error;
  } finally {
    timer?.abort();
    drain.end();
  }
}

/** Keeps the order of readiness: an agent that waits longer goes first. */
function queueIdle(run: RunState, order: Set<AgentId>): void {
  const idle = new Set(run.agents.flatMap(({ id, inFlight }) => (inFlight === null ? id : [])));
  for (const id of order) if (!idle.has(id)) order.delete(id);
  for (const id of idle) order.add(id);
}

function wakeUp(
  { wakeAt }: Plan,
  { clock }: Engine,
  inbox: Inbox<Message>,
): AbortController | null {
  if (wakeAt === null) return null;
  const timer = new AbortController();
  const ms = Math.min(LONGEST_SLEEP_MS, Math.max(0, wakeAt - clock.now()));
  void clock.sleep(ms, timer.signal).then(() => {
    if (!timer.signal.aborted) inbox.deliver({ type: "tick" });
  });
  return timer;
}

function interrupted(signal: AbortSignal): Extract<Input, { type: "stopped" }>["reason"] {
  const name: unknown = signal.reason;
  const known = name === "SIGTERM" || name === "SIGHUP" ? name : "SIGINT";
  const message = `Interrupted by ${known}.`;
  return { class: "interrupted", message, agent: null, state: null, signal: known };
}
