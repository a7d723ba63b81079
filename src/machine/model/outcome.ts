import type { ScanResult } from "../../language/protocol/scan/element.ts";
import type { SessionId } from "./agent.ts";
import type { Denial } from "./denial.ts";
import type { Failure } from "./failure.ts";
import { NO_SPEND, type SpendReport } from "./spend.ts";

/** The part of the conversation that an attempt added, in units of the backend. */
export interface Stretch {
  readonly session: SessionId;
  readonly from: number;
  readonly to: number;
}

interface Measured {
  readonly spend: SpendReport;
  /** Absent if unknown. A rerun cuts the conversation here. */
  readonly stretch?: Stretch | undefined;
  /** Wall-clock time of the process. */
  readonly durationMs: number;
  /** Null: killed or never started. */
  readonly exitCode: number | null;
}

/** The result of one attempt. Expected failures are values. */
export type StepOutcome =
  | (Measured & {
      readonly kind: "output";
      readonly reading: ScanResult;
      /**
       * False for a reply without text: no transition is implied (docs/protocol.md, "Text that is
       * read").
       */
      readonly spoke: boolean;
      /** The session that now holds the conversation; null for scripts. */
      readonly session: SessionId | null;
      /** Cut off by the budget (docs/budgets.md). */
      readonly capped: boolean;
      readonly denials: readonly Denial[];
      /** Background work of the model that did not complete, in words; absent: none. No transition is implied. */
      readonly endedWork?: readonly string[];
    })
  | CheckedGate
  | FailedAttempt;

/** A completed gate. Tags in its output are ignored. */
export type CheckedGate = Measured & {
  readonly kind: "checked";
  /** How it failed, as a sentence; null: passed. */
  readonly problem: string | null;
  /** The last 16 KiB of its output, both streams. */
  readonly said: string;
  readonly session: null;
};

export type FailedAttempt = Measured &
  Failure & {
    readonly kind: "failure";
    /** The session, if its prompt was accepted; else null. */
    readonly session: SessionId | null;
    /** Absent: none. */
    readonly denials?: readonly Denial[] | undefined;
  };

/** A failed attempt; by default one that never started. */
export function failedAttempt(
  why: Failure,
  known: Partial<Measured & Pick<FailedAttempt, "session">> = {},
): FailedAttempt {
  const never = { session: null, spend: NO_SPEND, durationMs: 0, exitCode: null };
  return { kind: "failure", ...why, ...never, ...known };
}
