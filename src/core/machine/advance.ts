import { type Running, runningOf } from "./activity.ts";
import type { AgentId } from "./agent.ts";
import type { Answer } from "./answer.ts";
import { wake } from "./delay.ts";
import { endStep, type StepEnd } from "./end-step.ts";
import type { Advanced } from "./event.ts";
import { type Look, look } from "./look.ts";
import { type HandBack, handBack, type Opening, openConversation } from "./opening.ts";
import { takeAnswer } from "./question.ts";
import type { Recollection } from "./recollection.ts";
import { recover } from "./recover.ts";
import { replaceAgent } from "./roster.ts";
import type { RunSettings, RunState, StopReason } from "./run-state.ts";
import type { SpendReport } from "./spend.ts";
import { stopOverBudget, stopRun } from "./stop.ts";
import { retryNow } from "./wait.ts";

/** Something that happened to a run. Times are epoch ms. */
export type Input =
  /** A raymond goes on with a run that another has left. */
  | {
      readonly type: "resumed";
      readonly given: Partial<RunSettings>;
      readonly recalled: Readonly<Record<AgentId, Recollection>>;
      /** Number of the last event that the log has: it can be later than the last save. */
      readonly told: number;
    }
  /** Events were told that change nothing else: so many take the next numbers. */
  | { readonly type: "told"; readonly count: number }
  /** The client took the prompt of a step in flight. */
  | {
      readonly type: "accepted";
      readonly agent: AgentId;
      readonly process: number;
      /** Bytes of its conversation before the call; null where that is not known. */
      readonly conversationBytes: number | null;
    }
  /** What a step in flight has used so far. */
  | {
      readonly type: "spending";
      readonly agent: AgentId;
      readonly process: number;
      readonly spend: SpendReport;
    }
  /** A step ended, and was judged. */
  | (StepEnd & { readonly type: "ended" })
  /** Somebody asks not to wait any longer: for the usage limit, or for the end of an outage. */
  | { readonly type: "retry-now"; readonly at: number }
  /** Somebody asks an agent, or all (null), to go on before its `delay` is over. */
  | { readonly type: "woke"; readonly agent: AgentId | null }
  /** A person has answered what an agent asks. */
  | (Answer & { readonly type: "answered" })
  /** A person opens the conversation of an agent, and leaves it. */
  | (Opening & { readonly type: "opened" })
  | (HandBack & { readonly type: "handed-back" })
  /** Somebody asks the run to stop. */
  | { readonly type: "stopped"; readonly reason: StopReason }
  /** Somebody looks what there is to do now: the last input before each save. */
  | (Look & { readonly type: "looked" });

/**
 * The transition function of a run: from where the run is and what happened to
 * where the run goes and what there is to tell. It is the whole machine: what
 * starts, what the run is called and when it ends is decided in here. Pure: it
 * reads no clock, throws no dice and starts nothing. What to do next is in the
 * new state (steps in flight), so a crash after the save has nothing to lose.
 * Each event that is told takes the next number of the run.
 */
export function advance(run: RunState, input: Input): Advanced {
  const [next, events] = react(run, input);
  return events.length === 0 ? [next, events] : [count(next, events.length), events];
}

/** The events that were told have the numbers up to the run's new one, in their order. */
function count(run: RunState, told: number): RunState {
  return { ...run, seq: run.seq + told };
}

function react(run: RunState, input: Input): Advanced {
  switch (input.type) {
    case "resumed": {
      const resumed = recover(run, input.given, new Map(Object.entries(input.recalled)));
      return [{ ...resumed, seq: Math.max(run.seq, input.told) }, []];
    }
    case "told":
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
      return takeAnswer(run, input);
    case "opened":
      return openConversation(run, input);
    case "handed-back":
      return handBack(run, input);
    case "stopped":
      return stopRun(run, input.reason);
    case "looked":
      return look(run, input);
  }
}

/** Adds to what is known of a step in flight. The step may have ended meanwhile. */
function note(
  run: RunState,
  { agent: id, process }: { readonly agent: AgentId; readonly process: number },
  known: Partial<Pick<Running, "accepted" | "conversationBytes" | "spend">>,
): RunState {
  const agent = run.agents.find((other) => other.id === id);
  if (agent === undefined) return run;
  const running = runningOf(agent);
  if (running?.process !== process) return run;
  return replaceAgent(run, { ...agent, activity: { ...running, ...known } });
}
