import type { MicroUsd } from "../language/basics/money.ts";
import type { StateName, Transition } from "../language/protocol/transition.ts";
import type { Agent, AgentId, Delivery, Session, SessionId } from "./agent.ts";
import type { Answerer } from "./move/answer.ts";
import type { RunId, RunState, RunStatus, StopReason } from "./run-state.ts";
import type { Context, Tokens } from "./spend/spend.ts";
import type { FailureClass } from "./step/failure.ts";
import type { Denial } from "./step/outcome.ts";
import type { AgentWait } from "./wait/agent-wait.ts";

/** Facts about a run, in the order they happened: one line each in `events.jsonl`. */
export type Event =
  | {
      readonly type: "run.started";
      readonly run: RunId;
      readonly workflow: string;
      readonly state: StateName;
      /** Its name. */
      readonly backend: string;
    }
  | {
      readonly type: "run.resumed";
      readonly run: RunId;
      readonly agents: number;
      /** Its name. */
      readonly backend: string;
    }
  /** A run that was just started stands where another one stood before a step of it. */
  | {
      readonly type: "run.rerun";
      readonly run: RunId;
      /** The other run, its step, and what it had spent until then. */
      readonly of: RunId;
      readonly step: number;
      readonly costMicroUsd: MicroUsd;
      readonly agents: number;
    }
  /** The process that held it cannot be seen, and was taken for dead by a person's word. */
  | {
      readonly type: "run.taken-over";
      readonly run: RunId;
      readonly host: string;
      readonly pid: number;
      /** ISO 8601; when that process began to hold the run, and when it was last heard. */
      readonly startedAt: string;
      readonly heardAt: string;
    }
  /** No further step is started; steps in flight still end. */
  | {
      readonly type: "run.stopping";
      readonly reason: StopReason;
      readonly inFlight: readonly AgentId[];
    }
  | {
      readonly type: "run.ended";
      readonly run: RunId;
      readonly status: RunStatus;
      readonly reason: StopReason | null;
      readonly costMicroUsd: MicroUsd;
      readonly estimatedMicroUsd: MicroUsd;
      readonly steps: number;
      readonly results: Readonly<Record<AgentId, string>>;
    }
  | {
      readonly type: "run.waiting";
      readonly class: "limit" | "outage";
      /** Epoch ms. */
      readonly until: number;
      /** From now until then. */
      readonly leftMs: number;
      readonly message: string;
    }
  /** Told now and then, so that whoever watches knows that nothing has hung. */
  | {
      readonly type: "run.still-waiting";
      readonly class: "limit" | "outage";
      readonly until: number;
      readonly leftMs: number;
    }
  /** Told once a run: 80 % of the budget is spent. */
  | {
      readonly type: "budget.near";
      readonly spentMicroUsd: MicroUsd;
      readonly budgetMicroUsd: MicroUsd;
    }
  | { readonly type: "run.woke"; readonly class: "limit" | "outage" }
  | { readonly type: "run.warning"; readonly message: string; readonly hint: string | null }
  | {
      readonly type: "step.started";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly kind: "prompt" | "script";
      readonly process: number;
      readonly attempt: number;
      readonly session: Session["mode"] | null;
      /** The conversation that the client is told to use; null for scripts. */
      readonly sessionId: SessionId | null;
      /** Folder of the step: absolute. */
      readonly cwd: string;
      readonly delivery: Delivery;
    }
  /** A message of the model, whole. */
  | {
      readonly type: "step.message";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly text: string;
    }
  /** What a script has written: whole lines, as they come. */
  | {
      readonly type: "step.output";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    }
  | {
      readonly type: "step.tool";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly tool: string;
      readonly argument: string;
    }
  /** Anything else the user may want to see while it happens: the client's own retries, limits near. */
  | {
      readonly type: "step.notice";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly text: string;
    }
  | {
      readonly type: "step.ended";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly kind: "prompt" | "script";
      readonly process: number;
      readonly ok: boolean;
      /** What kind of failure the attempt was; null where it was none. */
      readonly failure: FailureClass | null;
      readonly durationMs: number;
      readonly costMicroUsd: MicroUsd;
      readonly estimatedMicroUsd: MicroUsd;
      /** Of the run, this attempt included. */
      readonly totalMicroUsd: MicroUsd;
      readonly tokens: Tokens;
      readonly model: string | null;
      readonly version: string | null;
      readonly denials: readonly Denial[];
      /** What its conversation holds now; null where that was not told. */
      readonly context: Context | null;
    }
  | {
      readonly type: "agent.moved";
      readonly agent: AgentId;
      readonly from: StateName;
      readonly transition: Transition;
      /** The rules left no choice, and no tag was needed. */
      readonly implied: boolean;
      /** Where the agent stands now. */
      readonly to: StateName;
      /** Frames that a `reset` dropped. */
      readonly dropped: number;
    }
  | {
      readonly type: "agent.reminded";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly reminder: number;
      readonly problem: string;
    }
  /** A gate did not pass: the model is told what it printed. */
  | {
      readonly type: "agent.sent-back";
      readonly agent: AgentId;
      readonly state: StateName;
      /** The state that is its gate. */
      readonly gate: StateName;
      /** In this state, this time included. */
      readonly times: number;
      /** How the gate ended. */
      readonly problem: string;
    }
  | {
      readonly type: "agent.retrying";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly class: FailureClass;
      readonly problem: string;
      readonly retry: number;
      readonly delayMs: number;
    }
  /** Begins to wait: told once each time, and for the next attempt by `agent.retrying`. */
  | {
      readonly type: "agent.waiting";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly wait: AgentWait;
    }
  /** A conversation that was broken off goes on with a short note. */
  | {
      readonly type: "agent.continued";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly problem: string;
    }
  /** It goes where its workflow says for such a case: a script has failed for good, or a gate let nothing through. */
  | {
      readonly type: "agent.diverted";
      readonly agent: AgentId;
      readonly from: StateName;
      readonly to: StateName;
      readonly by: "on_error" | "on_fail" | "on_context";
      readonly problem: string;
    }
  | {
      readonly type: "agent.forked";
      readonly agent: AgentId;
      readonly worker: AgentId;
      readonly state: StateName;
      /** What it was given for its life. */
      readonly attributes: Agent["attributes"];
    }
  /** It goes on after a join. */
  | {
      readonly type: "agent.joined";
      readonly agent: AgentId;
      /** Where it goes on. */
      readonly state: StateName;
      /** Workers that the join has taken, and those that live on. */
      readonly ended: number;
      readonly living: number;
      /** Its time was over. */
      readonly late: boolean;
    }
  /** It asks a person. Told again when a resumed run goes on to wait for the answer. */
  | {
      readonly type: "agent.asked";
      readonly agent: AgentId;
      /** The state that asks. */
      readonly state: StateName;
      readonly number: number;
      readonly question: string;
      readonly options: readonly string[] | null;
      /** Epoch ms at which it goes on without an answer; null: never. */
      readonly until: number | null;
    }
  | {
      readonly type: "agent.answered";
      readonly agent: AgentId;
      /** Where it goes on. */
      readonly state: StateName;
      /** Of the question. */
      readonly number: number;
      readonly answer: string;
      readonly by: Answerer;
      /** When that was said, epoch ms: it can be read later. */
      readonly at: number;
    }
  /** Nobody has answered in time. */
  | {
      readonly type: "agent.unanswered";
      readonly agent: AgentId;
      /** Where it goes on. */
      readonly state: StateName;
      readonly number: number;
    }
  /** A person has opened its conversation: it makes no step until they leave it. */
  | { readonly type: "agent.opened"; readonly agent: AgentId; readonly state: StateName }
  | {
      readonly type: "agent.handed-back";
      readonly agent: AgentId;
      readonly state: StateName;
      /** The conversation, where something was said in it; else null. */
      readonly session: SessionId | null;
      /** What that has cost, as far as its client tells. */
      readonly costMicroUsd: MicroUsd;
      readonly estimatedMicroUsd: MicroUsd;
      /** Of the run, with it. */
      readonly totalMicroUsd: MicroUsd;
      readonly tokens: Tokens;
    }
  | {
      readonly type: "agent.ended";
      readonly agent: AgentId;
      readonly state: StateName;
      /** Null: it has ended by a failure, which has been told, and which its parent is to judge. */
      readonly result: string | null;
    }
  | {
      readonly type: "agent.failed";
      readonly agent: AgentId;
      readonly state: StateName;
      readonly class: FailureClass;
      readonly problem: string;
      readonly hint: string | null;
    };

export type EventType = Event["type"];

/** The run as it goes on, and what there is to tell. */
export type RunUpdate = readonly [RunState, readonly Event[]];
