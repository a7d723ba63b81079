import { type Running, runningOf } from "./model/activity.ts";
import type { AgentId } from "./model/agent.ts";
import type { Answer } from "./model/answer.ts";
import type { RunUpdate } from "./model/event.ts";
import type { RecoveredSession } from "./model/recovered-session.ts";
import { replaceAgent } from "./model/roster.ts";
import type { RunSettings, RunState, StopReason } from "./model/run-state.ts";
import type { SpendReport } from "./model/spend.ts";
import type { WorktreeEnd } from "./model/worktree.ts";
import { closeWorktree } from "./moves/close-worktree.ts";
import { wake } from "./moves/delay.ts";
import { applyAnswer } from "./moves/question.ts";
import { type ResultByHand, setResult } from "./moves/set-result.ts";
import { stopIdle, stopOverBudget, stopRun } from "./moves/stop.ts";
import { endStep, type StepEnd } from "./steps/end-step.ts";
import {
  enterManualSession,
  leaveManualSession,
  type ManualSessionEnd,
  type ManualSessionStart,
} from "./steps/manual-session.ts";
import { recover } from "./steps/recover.ts";
import { type ScheduleInput, schedule } from "./steps/schedule.ts";
import { retryNow } from "./waits/wait.ts";

/** An input of the state machine, recorded in the journal. Times are epoch ms. */
export type Input =
  /** A process resumes the run. */
  | {
      readonly type: "resumed";
      readonly given: Partial<RunSettings>;
      readonly recalled: Readonly<Record<AgentId, RecoveredSession>>;
      /** Number of the last event in the log. It can be later than the last save. */
      readonly reported: number;
    }
  /** Events without a state change: they use the next `count` numbers. */
  | { readonly type: "reported"; readonly count: number }
  /** The client accepted the prompt of a step in flight. */
  | {
      readonly type: "accepted";
      readonly agent: AgentId;
      readonly process: number;
      /** Size of the conversation before the call; null: unknown. */
      readonly conversationBytes: number | null;
    }
  /** Usage of a step in flight so far. */
  | {
      readonly type: "spending";
      readonly agent: AgentId;
      readonly process: number;
      readonly spend: SpendReport;
    }
  /** A step ended, with the decision about it. */
  | (StepEnd & { readonly type: "ended" })
  /** Retry now instead of waiting for a usage limit or outage. */
  | { readonly type: "retry-now"; readonly at: number }
  /** End the `delay` of an agent, or of all (null). */
  | { readonly type: "woke"; readonly agent: AgentId | null }
  /** A person answered a question. */
  | (Answer & { readonly type: "answered" })
  /** A person ended a step with a result. */
  | (ResultByHand & { readonly type: "result-set" })
  /** A manual session starts or ends. */
  | (ManualSessionStart & { readonly type: "opened" })
  | (ManualSessionEnd & { readonly type: "handed-back" })
  /** The files of an ended agent were committed. */
  | (WorktreeEnd & { readonly type: "worktree-ended"; readonly agent: AgentId })
  /** Stop the run. `idle`: no process drives it, so it ends now, with its steps in flight. */
  | { readonly type: "stopped"; readonly reason: StopReason; readonly idle?: true }
  /** Start due steps: the last input before each save. */
  | (ScheduleInput & { readonly type: "looked" });

/**
 * The transition function of a run: returns the next state and the events to emit. It decides which
 * steps start, the status of the run and when it ends. Pure: no clock, no random numbers, no side
 * effects. The new state lists the steps in flight, so a crash after the save loses nothing. Events
 * are numbered consecutively.
 */
export function advance(run: RunState, input: Input): RunUpdate {
  const [next, events] = react(run, input);
  return events.length === 0 ? [next, events] : [count(next, events.length), events];
}

function count(run: RunState, events: number): RunState {
  return { ...run, seq: run.seq + events };
}

function react(run: RunState, input: Input): RunUpdate {
  switch (input.type) {
    case "resumed": {
      const resumed = recover(run, input.given, new Map(Object.entries(input.recalled)));
      return [{ ...resumed, seq: Math.max(run.seq, input.reported) }, []];
    }
    case "reported":
      return [count(run, input.count), []];
    case "accepted":
      return [note(run, input, { accepted: true, conversationBytes: input.conversationBytes }), []];
    case "spending":
      return stopOverBudget(note(run, input, { spend: input.spend }));
    case "ended":
      return endStep(run, input);
    case "retry-now":
      return retryNow(run, input.at);
    case "woke":
      return [wake(run, input.agent), []];
    case "answered":
      return applyAnswer(run, input);
    case "result-set":
      return setResult(run, input);
    case "opened":
      return enterManualSession(run, input);
    case "handed-back":
      return leaveManualSession(run, input);
    case "worktree-ended":
      return closeWorktree(run, input);
    case "stopped":
      return input.idle === true ? stopIdle(run, input.reason) : stopRun(run, input.reason);
    case "looked":
      return schedule(run, input);
  }
}

/** Updates a step in flight. Ignored if the step has ended. */
function note(
  run: RunState,
  { agent: id, process }: { readonly agent: AgentId; readonly process: number },
  update: Partial<Pick<Running, "accepted" | "conversationBytes" | "spend">>,
): RunState {
  const agent = run.agents.find((other) => other.id === id);
  if (agent === undefined) return run;
  const running = runningOf(agent);
  if (running?.process !== process) return run;
  return replaceAgent(run, { ...agent, activity: { ...running, ...update } });
}
