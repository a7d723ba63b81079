import type { Reading } from "../protocol/element.ts";
import type { SessionId } from "./agent.ts";
import type { Failure } from "./failure.ts";
import { NO_SPEND, type SpendReport } from "./spend.ts";

/** A tool call that the client refused: the first reason why an unattended step did nothing. */
export interface Denial {
  readonly tool: string;
  readonly input: string;
}

/** The part of its conversation that an attempt has added, counted as its backend does, from its beginning. */
export interface Stretch {
  readonly session: SessionId;
  readonly from: number;
  readonly to: number;
}

interface Measured {
  readonly spend: SpendReport;
  /** Absent where nobody has looked: a rerun cuts the conversation by it. */
  readonly stretch?: Stretch | undefined;
  /** Wall clock of the process, ms. */
  readonly durationMs: number;
  /** Exit code of the process; null when it was killed or never ran. */
  readonly exitCode: number | null;
}

/** What came back from executing one state once. Expected failures are values here. */
export type StepOutcome =
  | (Measured & {
      readonly kind: "output";
      readonly reading: Reading;
      /**
       * False for a reply without any assistant text: nothing is implied then
       * (docs/protocol.md, "Which text is read").
       */
      readonly spoke: boolean;
      /** The session that now holds the conversation; null for scripts. */
      readonly session: SessionId | null;
      /** It was broken off for the budget: by the client at its cap, or by raymond (docs/budgets.md). */
      readonly capped: boolean;
      readonly denials: readonly Denial[];
    })
  | CheckedGate
  | FailedAttempt;

/** A gate that has run to its end: whatever it printed is no transition. */
export type CheckedGate = Measured & {
  readonly kind: "checked";
  /** How it ended, as a sentence; null where it has let the transition through. */
  readonly problem: string | null;
  /** The last 16 KiB of what it printed, both streams in order. */
  readonly said: string;
  readonly session: null;
};

/** An attempt that did not succeed. */
export type FailedAttempt = Measured &
  Failure & {
    readonly kind: "failure";
    /** The session the attempt has used, where its prompt was accepted; else null. */
    readonly session: SessionId | null;
  };

/** An attempt that did not succeed: by default one that never ran. */
export function failedAttempt(
  why: Failure,
  known: Partial<Measured & Pick<FailedAttempt, "session">> = {},
): FailedAttempt {
  const never = { session: null, spend: NO_SPEND, durationMs: 0, exitCode: null };
  return { kind: "failure", ...why, ...never, ...known };
}
