import type { MicroUsd } from "../../language/basics/money.ts";
import type { StateName, Transition } from "../../language/protocol/transition.ts";
import type { Actor } from "./actor.ts";
import type { Agent, AgentId, Delivery, Session, SessionId } from "./agent.ts";
import type { AgentWait } from "./agent-wait.ts";
import type { Denial, DenialCount } from "./denial.ts";
import type { FailureClass } from "./failure.ts";
import type { RunId, RunState, RunStatus, StopReason } from "./run-state.ts";
import type { Context, Tokens } from "./spend.ts";
import type { StepChanges } from "./step-changes.ts";

/** Facts about a run, in order of occurrence: one line each in `events.jsonl`. */
export type Event = RunEvent | (OfAgent & (StepEvent | AgentEvent)) | MoveEvent;

export type EventType = Event["type"];

/** The next state of a run, and the events to emit. */
export type RunUpdate = readonly [RunState, readonly Event[]];

interface OfAgent {
  readonly agent: AgentId;
  /** The full name of its state: after a move, of the new one. */
  readonly state: StateName;
}

interface Cost {
  readonly costMicroUsd: MicroUsd;
  readonly estimatedMicroUsd: MicroUsd;
}

interface Acted {
  /** Absent in logs of an earlier raymond, and in workflow tests. */
  readonly actor?: Actor | undefined;
}

/** The cost of one attempt or manual session. */
interface Usage extends Cost {
  /** Total cost of the run, including this. */
  readonly totalMicroUsd: MicroUsd;
  readonly tokens: Tokens;
}

interface OfBackend {
  /** The coding agent; absent: the default agent of the run. */
  readonly backend?: string | undefined;
}

interface WaitEvent extends OfBackend {
  readonly class: "limit" | "outage";
  /** Epoch ms. */
  readonly until: number;
  readonly leftMs: number;
}

/** `stop`: with everything it started. `stop-after-steps`: steps in flight end normally. */
export const CONTROL_ACTIONS = ["stop", "stop-after-steps", "retry"] as const;
export type ControlAction = (typeof CONTROL_ACTIONS)[number];

type RunEvent =
  | (Acted & {
      readonly type: "run.started";
      readonly run: RunId;
      readonly workflow: string;
      readonly state: StateName;
      /** Name of the backend. */
      readonly backend: string;
    })
  | (Acted & {
      readonly type: "run.resumed";
      readonly run: RunId;
      readonly agents: number;
      readonly backend: string;
      /** Changed settings, one per entry: `budget = 5 (was 2)`. Absent: none. */
      readonly changed?: readonly string[] | undefined;
    })
  /** A person controlled the run by a command without an event of its own. */
  | {
      readonly type: "run.controlled";
      readonly run: RunId;
      readonly action: ControlAction;
      /** The affected agent; null: the run. */
      readonly target: AgentId | null;
      readonly actor: Actor;
    }
  /** A new run continues from the state of another run before one of its steps. */
  | (Acted & {
      readonly type: "run.rerun";
      readonly run: RunId;
      readonly of: RunId;
      /** A step of the other run, and the cost of that run before it. */
      readonly step: number;
      readonly costMicroUsd: MicroUsd;
      readonly agents: number;
    })
  /** A person confirmed that the previous owner, which cannot be checked from here, is dead. */
  | (Acted & {
      readonly type: "run.taken-over";
      readonly run: RunId;
      readonly host: string;
      readonly pid: number;
      /** ISO 8601: when the previous owner claimed the run, and its last heartbeat. */
      readonly startedAt: string;
      readonly lastSeenAt: string;
    })
  /** No further step starts; steps in flight still end. */
  | {
      readonly type: "run.stopping";
      readonly reason: StopReason;
      readonly inFlight: readonly AgentId[];
    }
  | (Cost & {
      readonly type: "run.ended";
      readonly run: RunId;
      readonly status: RunStatus;
      readonly reason: StopReason | null;
      readonly steps: number;
      readonly results: Readonly<Record<AgentId, string>>;
      /** Denied tool calls of the whole run. */
      readonly denied: readonly DenialCount[];
    })
  | (WaitEvent & { readonly type: "run.waiting"; readonly message: string })
  /** Repeated from time to time, to show that the run has not hung. */
  | (WaitEvent & { readonly type: "run.still-waiting" })
  /** 80 % of the budget is spent. At most once per run. */
  | {
      readonly type: "budget.near";
      readonly spentMicroUsd: MicroUsd;
      readonly budgetMicroUsd: MicroUsd;
    }
  | (OfBackend & { readonly type: "run.woke"; readonly class: "limit" | "outage" })
  | { readonly type: "run.warning"; readonly message: string; readonly hint: string | null };

type StepEvent =
  | (OfBackend & {
      readonly type: "step.started";
      readonly kind: "prompt" | "script";
      readonly process: number;
      readonly attempt: number;
      readonly session: Session["mode"] | null;
      /** The conversation that the client must use; null for scripts. */
      readonly sessionId: SessionId | null;
      /** Absolute. */
      readonly cwd: string;
      readonly delivery: Delivery;
      /** The preferred coding agent, which waits for a usage limit or an outage; absent: none. */
      readonly insteadOf?: string | undefined;
    })
  /** A complete message of the model. */
  | { readonly type: "step.message"; readonly text: string }
  /** Script output, in whole lines. */
  | {
      readonly type: "step.output";
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    }
  | { readonly type: "step.tool"; readonly tool: string; readonly argument: string }
  /** Other progress, such as retries of the client or a near limit. */
  | {
      readonly type: "step.notice";
      readonly text: string;
      /** Shown only with `--verbose`. */
      readonly minor?: boolean | undefined;
    }
  | (Usage & {
      readonly type: "step.ended";
      readonly kind: "prompt" | "script";
      readonly process: number;
      readonly ok: boolean;
      /** Null for a success. */
      readonly failure: FailureClass | null;
      readonly durationMs: number;
      readonly model: string | null;
      readonly version: string | null;
      readonly denials: readonly Pick<Denial, "tool" | "input">[];
      /** Size of the conversation; null: not reported. */
      readonly context: Context | null;
      /** What it changed in its working tree; absent: no snapshot. */
      readonly changes?: StepChanges | undefined;
    });

type AgentEvent =
  | { readonly type: "agent.reminded"; readonly reminder: number; readonly problem: string }
  /** A gate failed: the model receives its output. */
  | {
      readonly type: "agent.sent-back";
      readonly gate: StateName;
      /** Failures in this visit, including this one. */
      readonly times: number;
      /** How the gate ended. */
      readonly problem: string;
    }
  | {
      readonly type: "agent.retrying";
      readonly class: FailureClass;
      readonly problem: string;
      readonly retry: number;
      readonly delayMs: number;
    }
  /** A wait started. Waits before a retry are reported by `agent.retrying`. */
  | { readonly type: "agent.waiting"; readonly wait: AgentWait }
  /** An interrupted conversation continues with a short note. */
  | { readonly type: "agent.continued"; readonly problem: string }
  /** A fork started `worker` in `state`. */
  | {
      readonly type: "agent.forked";
      readonly worker: AgentId;
      readonly attributes: Agent["attributes"];
      /** Of its worktree; undefined: it gets none. */
      readonly branch: string | undefined;
    }
  | {
      readonly type: "agent.joined";
      /** Workers that had ended, and workers that are still running. */
      readonly ended: number;
      readonly living: number;
      /** The join timed out. */
      readonly late: boolean;
    }
  /** A question to a person. Repeated when a resumed run still waits for the answer. */
  | {
      readonly type: "agent.asked";
      readonly number: number;
      readonly question: string;
      readonly options: readonly string[] | null;
      /** Timeout, epoch ms; null: none. */
      readonly until: number | null;
    }
  | {
      readonly type: "agent.answered";
      readonly number: number;
      readonly answer: string;
      readonly by: Actor;
      /** When the answer was given, epoch ms. It may be processed later. */
      readonly at: number;
    }
  /** A person ended the step with a result. It applies once no process of the step is running. */
  | {
      readonly type: "agent.result-set";
      readonly result: string;
      /** Null: not given. */
      readonly reason: string | null;
      readonly actor: Actor;
    }
  /** A question timed out. */
  | { readonly type: "agent.unanswered"; readonly number: number }
  /** A manual session started: no step starts until it ends. */
  | { readonly type: "agent.opened" }
  | (Usage & {
      readonly type: "agent.handed-back";
      /** The conversation; null: nothing was said. */
      readonly session: SessionId | null;
    })
  /** Null: ended by a failure that was reported before, and that its parent handles. */
  | { readonly type: "agent.ended"; readonly result: string | null }
  | {
      readonly type: "agent.failed";
      readonly class: FailureClass;
      readonly problem: string;
      readonly hint: string | null;
    };

/** An agent enters another state. */
type MoveEvent = Pick<OfAgent, "agent"> & {
  readonly from: StateName;
  readonly to: StateName;
} & (
    | {
        readonly type: "agent.moved";
        readonly transition: Transition;
        /** The only rule implied it: no tag was needed. */
        readonly implied: boolean;
        /** Frames that a `reset` dropped. */
        readonly dropped: number;
      }
    /** Instead of a failure: the workflow names a state for this case. */
    | {
        readonly type: "agent.diverted";
        readonly by: "on_error" | "on_fail" | "on_context";
        readonly problem: string;
      }
  );
