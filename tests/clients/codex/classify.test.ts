import { describe, expect, it } from "vitest";
import type { CodexEnding } from "../../../src/clients/codex/facts.ts";
import { classify } from "../../../src/clients/codex/output/classify.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { invocation } from "../../contracts/backend.ts";
import { type Recorded, replay } from "./recorded.ts";

const END: CodexEnding["end"] = {
  ...{ exitCode: 0, signal: null, spawnError: null, endedByRaymond: false },
  ...{ durationMs: 5, leftOpen: false },
};

const NOTHING: CodexEnding["facts"] = {
  ...{ session: null, accepted: false, text: null, verdict: null, spend: NO_SPEND },
  ...{ denials: [], resetsAt: null },
};

function ending(changes: Partial<CodexEnding> = {}): CodexEnding {
  return {
    call: invocation({ session: { mode: "fresh", id: "s1" }, cwd: "/gone" }),
    ...{ command: "/bin/codex", facts: NOTHING, end: END, stderr: "" },
    ...{ cancelled: null, expired: null, folderMissing: false },
    ...{ at: Date.parse("2026-11-24T12:00:00Z"), timeZone: "UTC" },
    ...changes,
  };
}

const recorded = (name: Recorded, exitCode: number, changes: Partial<CodexEnding> = {}) =>
  classify(ending({ facts: replay(name).stream.facts, end: { ...END, exitCode }, ...changes }));

describe("a recorded call", () => {
  it("is a reply after its turn is complete", () => {
    expect(recorded("tool", 0)).toMatchObject({ kind: "reply", text: "<goto>NEXT</goto>" });
  });

  it("is a crash if the client then fails", () => {
    expect(recorded("tool", 3)).toMatchObject({ kind: "failure", class: "crash", exitCode: 3 });
  });

  it("is a limit with its end", () => {
    expect(recorded("limit", 1)).toMatchObject({ class: "limit", resetsAt: 1_795_709_068_000 });
  });

  it("is capped after the budget ended it, and cancelled after a person did", () => {
    expect(recorded("interrupted", 1, { cancelled: "budget" })).toMatchObject({ capped: true });
    expect(recorded("interrupted", 1, { cancelled: "stop" })).toMatchObject({ class: "cancelled" });
  });
});

describe("a client that fails before its turn", () => {
  it.each<[string, object]>([
    [
      "Error: thread/resume: thread/resume failed: no rollout found for thread id s1 (code -32600)",
      { class: "lost-session" },
    ],
    [
      "Error: thread s1 already has an active writer",
      { class: "crash", refused: "session-in-use" },
    ],
    ["error: invalid value 'x' for '--sandbox <SANDBOX_MODE>'", { class: "deterministic" }],
    ["Error loading config.toml: unknown variant `x`", { class: "deterministic" }],
    ["thread 'main' panicked", { class: "crash", refused: null }],
  ])("%s", (stderr, expected) => {
    const failed = classify(ending({ stderr, end: { ...END, exitCode: 1 } }));

    expect(failed).toMatchObject({ kind: "failure", session: null, ...expected });
  });

  it("says how to install a missing one", () => {
    const spawnError = { code: "ENOENT", message: "spawn ENOENT" };
    const failed = classify(ending({ end: { ...END, exitCode: null, spawnError } }));

    expect(failed).toMatchObject({ message: "Cannot find codex: /bin/codex does not exist." });
  });
});
