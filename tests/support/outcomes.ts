import { readReply } from "../../src/language/protocol/reply.ts";
import { parseStateFile } from "../../src/language/workflow/files/parse-state-file.ts";
import type { Step } from "../../src/machine/decide/step.ts";
import {
  type Failure,
  type FailureClass,
  failure as failureOf,
} from "../../src/machine/model/failure.ts";
import {
  type FailedAttempt,
  failedAttempt,
  type StepOutcome,
} from "../../src/machine/model/outcome.ts";
import { NO_SPEND, type SpendReport } from "../../src/machine/model/spend.ts";
import { agent } from "./agents.ts";
import { backendFacts } from "./backend-facts.ts";
import { settings } from "./runs.ts";

type Output = Extract<StepOutcome, { kind: "output" }>;

/** Output of a successful prompt step in session s1. */
export function output(text: string, changes: Partial<Output> = {}): Output {
  return {
    kind: "output",
    reading: readReply(text),
    spoke: text !== "",
    session: "s1",
    capped: false,
    denials: [],
    spend: NO_SPEND,
    durationMs: 0,
    exitCode: 0,
    ...changes,
  };
}

/** A failed step. */
export function failure(
  of: FailureClass | Failure,
  changes: Partial<Pick<FailedAttempt, "session" | "spend" | "durationMs" | "exitCode">> = {},
): FailedAttempt {
  const why = typeof of === "string" ? failureOf(of, "It broke.") : of;
  return failedAttempt(why, { exitCode: 1, ...changes });
}

/** The client rejected a session because another process uses it. */
export const IN_USE: Failure = {
  class: "crash",
  message: "In use.",
  hint: null,
  refused: "session-in-use",
};

/** A usage limit with its reset time, epoch ms. */
export function limitUntil(resetsAt: number): Failure {
  return { class: "limit", message: "Full.", hint: null, resetsAt };
}

/** Cost of an attempt, as old clients report it: per invocation. */
export function cost(microUsd: number): SpendReport {
  return { ...NO_SPEND, version: "2.1.197", model: "sonnet", costMicroUsd: microUsd };
}

/** A step of `START.md` with this text, in a workflow with these states. */
export function step(text: string, changes: Partial<Step> = {}): Step {
  const of = changes.agent ?? agent();
  return {
    run: "wf-2026-11-21-k3x9qd",
    agent: of,
    file: parseStateFile("START.md", text),
    path: "/repo/workflow/START.md",
    source: "/repo/workflow/START.md",
    scopeDir: "/repo/workflow",
    names: ["A.md", "B.md", "POLL.sh", "START.md"],
    platform: "unix",
    settings: settings(),
    environment: { kind: "prompt", pass: null, set: {}, secret: [] },
    backend: backendFacts(),
    cwd: "/repo",
    launchDir: "/repo",
    process: 1,
    attempt: 1,
    token: "t0.1",
    session: of.session,
    capMicroUsd: null,
    deadline: null,
    withheld: [],
    gated: null,
    permissions: {
      ...{ level: "edit", allow: [], deny: [] },
      ...{ tools: null, allowedTools: null, disallowedTools: null },
    },
    deniedPaths: [],
    ...changes,
  };
}
