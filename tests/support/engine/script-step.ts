import { NO_ENVIRONMENT } from "../../../src/language/workflow/policy/declared-environment.ts";
import type { Step } from "../../../src/machine/decide/step.ts";
import { FRESH } from "../../../src/machine/model/agent.ts";
import { agent } from "../agents.ts";
import { backendFacts } from "../backend-facts.ts";
import { settings } from "../runs.ts";

/** Changes of a script step. */
export interface ScriptStepChanges extends Partial<Step> {
  readonly pendingResult?: string | null;
  readonly attributes?: Readonly<Record<string, string>>;
  /** Time limit of the script, ms. */
  readonly timeoutMs?: number | null;
  /** Time limit of the run, ms. */
  readonly scriptTimeoutMs?: number;
}

/** A step of the script state `BUILD.sh` for `main`, with changes. */
export function scriptStep(changes: ScriptStepChanges = {}): Step {
  const {
    pendingResult = null,
    attributes = {},
    timeoutMs = null,
    scriptTimeoutMs = 0,
    ...others
  } = changes;
  return {
    run: "wf-2026-11-21-abc123",
    agent: agent({ state: "BUILD.sh", session: FRESH, pendingResult, attributes }),
    file: {
      kind: "script",
      name: "BUILD.sh",
      ...{ body: "", bodyLine: 1, bodyColumn: 1 },
      timeoutMs,
      retries: 0,
      backoffMs: 10_000,
      onError: null,
      maxVisits: null,
      env: NO_ENVIRONMENT,
      sandbox: null,
      container: null,
      warnings: [],
    },
    path: "/flow/BUILD.sh",
    source: "/flow/BUILD.sh",
    scopeDir: "/flow",
    names: ["BUILD.sh"],
    platform: "unix",
    settings: settings({ scriptTimeoutMs }),
    environment: { kind: "script", pass: null, set: {}, secret: [] },
    backend: backendFacts(),
    cwd: "/",
    launchDir: "/",
    process: 1,
    attempt: 1,
    token: "run.1",
    session: FRESH,
    capMicroUsd: null,
    deadline: null,
    withheld: [],
    gated: null,
    permissions: null,
    deniedPaths: [],
    ...others,
  };
}
