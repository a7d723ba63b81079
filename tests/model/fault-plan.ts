import fc from "fast-check";
import type { RunSettings } from "../../src/machine/model/run-state.ts";

/** How one attempt of a step goes, whatever it would say. */
export interface Fate {
  readonly end:
    | "well"
    | "crash"
    | "outage"
    | "limit"
    | "limit-until"
    | "fails"
    | "never-runs"
    | "lost"
    | "refused"
    | "capped"
    | "capped-silent"
    | "mumbles"
    | "bug";
  /** Whether the client takes the prompt before it fails. */
  readonly accepts: boolean;
  /** Input tokens: each costs 3 micro-dollars. */
  readonly tokens: number;
  /** Number of usage reports. */
  readonly reports: number;
  /** Whether its totals are those of the conversation. */
  readonly cumulative: boolean;
  /** Whether a cancellation comes before its last word. */
  readonly obeys: boolean;
}

/** What happens to the run as a whole, after so many ticks since it began. */
export interface Mishap {
  readonly tick: number;
  readonly what:
    | "interrupt"
    | "kill"
    | "hurry"
    | "wake"
    | "clock-back"
    | "crash"
    | "save-fails"
    | "save-fails-late";
}

/** The reply to a question. */
export interface Reply {
  /** While the run lives, when nothing runs, only when its time is over, or not at all while it has one. */
  readonly when: "soon" | "stopped" | "late" | "never";
  /** So many ticks after it was asked, where it is soon. */
  readonly after: number;
  readonly text: string;
  /** Says something else right after it. */
  readonly twice: boolean;
  /** Where nothing runs: the next raymond begins only when the time of the question is over. */
  readonly rests: boolean;
  /** Whether raymond is notified; otherwise it finds the answer at its next poll. */
  readonly nudges: boolean;
}

/** Everything that chance decides about a run, besides its program. */
export interface FaultPlan {
  /** By process number; later ones end well. */
  readonly fates: readonly Fate[];
  readonly mishaps: readonly Mishap[];
  /** The next event among all possible ones; after the list: the oldest. */
  readonly choices: readonly number[];
  /** Of the start, and of each resume; later ones are patient. */
  readonly rounds: readonly Partial<RunSettings>[];
  /** By question, in the order of their receipt; further questions are answered at once. */
  readonly replies: readonly Reply[];
  readonly lostSession: "fail" | "fresh";
  readonly backend: "claude" | "simulation";
}

export const WELL: Fate = {
  end: "well",
  accepts: true,
  tokens: 100,
  reports: 0,
  cumulative: true,
  obeys: true,
};

/** Settings under which every run ends. */
export const PATIENT: Partial<RunSettings> = {
  budgetMicroUsd: null,
  maxSteps: null,
  wait: true,
  maxWaitMs: 0,
  maxOutageMs: 7_200_000,
  keepGoing: true,
  onAsk: "stop",
};

const anyFate: fc.Arbitrary<Fate> = fc.record({
  end: fc.oneof(
    { weight: 9, arbitrary: fc.constant("well" as const) },
    {
      weight: 13,
      arbitrary: fc.constantFrom<Fate["end"]>(
        ...(["crash", "crash", "outage", "limit", "limit-until", "fails", "never-runs"] as const),
        ...(["lost", "lost", "refused", "capped", "capped-silent", "mumbles", "mumbles"] as const),
        "bug",
      ),
    },
  ),
  accepts: fc.boolean(),
  tokens: fc.nat({ max: 100_000 }),
  reports: fc.nat({ max: 2 }),
  cumulative: fc.boolean(),
  obeys: fc.boolean(),
});

const anyMishap: fc.Arbitrary<Mishap> = fc.record({
  tick: fc.nat({ max: 120 }),
  what: fc.constantFrom(
    ...(["interrupt", "kill", "hurry", "wake", "clock-back", "crash", "crash"] as const),
    ...(["save-fails", "save-fails-late"] as const),
  ),
});

const anyRound: fc.Arbitrary<Partial<RunSettings>> = fc.record({
  budgetMicroUsd: fc.option(fc.integer({ min: 1, max: 2_000_000 }), { nil: null }),
  maxParallel: fc.integer({ min: 1, max: 4 }),
  maxSteps: fc.option(fc.integer({ min: 1, max: 30 }), { nil: null }),
  keepGoing: fc.boolean(),
  wait: fc.boolean(),
  maxOutageMs: fc.constantFrom(0, 60_000, 7_200_000),
  maxWaitMs: fc.constantFrom(0, 0, 600_000),
  onAsk: fc.constantFrom("stop" as const, "wait" as const),
});

const anyReplies: fc.Arbitrary<readonly Reply[]> = fc.array(
  fc.record({
    when: fc.constantFrom(...(["soon", "soon", "stopped", "late", "never"] as const)),
    after: fc.nat({ max: 40 }),
    text: fc.constantFrom("yes", "", "No, {{agent_id}}", "<goto>a</goto>", " two\n\nlines "),
    twice: fc.boolean(),
    nudges: fc.boolean(),
    rests: fc.boolean(),
  }),
  { maxLength: 8 },
);

const anyChoices = fc.array(fc.nat({ max: 999 }), {
  maxLength: 250,
  size: "max",
});

/** Any order of things, and no mishap but from the order itself. */
export const anyOrder: fc.Arbitrary<FaultPlan> = fc.record({
  ...{ fates: fc.constant([]), mishaps: fc.constant([]), choices: anyChoices },
  rounds: fc.array(
    fc
      .record({
        maxParallel: fc.integer({ min: 1, max: 4 }),
        onAsk: fc.constantFrom("stop" as const, "wait" as const),
      })
      .map((some) => ({ ...PATIENT, ...some })),
    { maxLength: 1 },
  ),
  replies: anyReplies,
  lostSession: fc.constant("fail" as const),
  backend: fc.constantFrom("claude" as const, "simulation" as const),
});

/** Mishap with steps and from the user, and never with raymond itself. */
export const anyBadDay: fc.Arbitrary<FaultPlan> = fc.record({
  fates: fc.array(
    anyFate.map((fate) => (fate.end === "bug" ? { ...fate, end: "crash" as const } : fate)),
    { maxLength: 25, size: "max" },
  ),
  mishaps: fc.array(
    anyMishap.filter(({ what }) => what !== "crash" && !what.startsWith("save")),
    { maxLength: 4 },
  ),
  choices: anyChoices,
  rounds: fc.array(anyRound, { maxLength: 4 }),
  replies: anyReplies,
  lostSession: fc.constantFrom("fail" as const, "fresh" as const),
  backend: fc.constantFrom("claude" as const, "simulation" as const),
});

/** All of it, crashes of raymond and of its disk among it. */
export const anyFaultPlan: fc.Arbitrary<FaultPlan> = fc.record({
  fates: fc.array(anyFate, { maxLength: 25, size: "max" }),
  mishaps: fc.array(anyMishap, { maxLength: 6 }),
  choices: anyChoices,
  rounds: fc.array(anyRound, { maxLength: 4 }),
  replies: anyReplies,
  lostSession: fc.constantFrom("fail" as const, "fresh" as const),
  backend: fc.constantFrom("claude" as const, "simulation" as const),
});
