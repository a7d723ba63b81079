import { describe, expect, it } from "vitest";
import type { PiEnding } from "../../../src/clients/pi/facts.ts";
import { NO_FACTS } from "../../../src/clients/pi/facts.ts";
import { classify } from "../../../src/clients/pi/output/classify.ts";
import type { ProcessEnd } from "../../../src/engine/ports/process.ts";
import { invocation } from "../../contracts/backend.ts";

const END: ProcessEnd = {
  ...{ exitCode: 0, signal: null, spawnError: null, endedByRaymond: false },
  ...{ durationMs: 5, leftOpen: false },
};
const AT = Date.parse("2026-09-21T12:00:00.000Z");
const GOOD = {
  ...NO_FACTS,
  ...{ session: "s1", accepted: true, settled: true, text: "hi" },
  verdict: { stopReason: "stop", error: null },
};

function end(changes: Partial<PiEnding> = {}) {
  return classify({
    call: invocation({ session: { mode: "fresh", id: "s1" }, model: "m" }),
    ...{ command: "/bin/pi", facts: GOOD, end: END, stderr: "", cancelled: null, expired: null },
    ...{ folderMissing: false, at: AT, timeZone: "UTC" },
    ...changes,
  });
}

const failedWith = (error: string, exitCode = 0) =>
  end({
    facts: { ...GOOD, text: null, verdict: { stopReason: "error", error } },
    end: { ...END, exitCode },
  });
const before = (stderr: string) =>
  end({ facts: { ...NO_FACTS, session: "s1" }, stderr, end: { ...END, exitCode: 1 } });

describe("the end of a call to pi", () => {
  it("is a reply only with a reported end, an answer without error, and exit code 0", () => {
    expect(end()).toMatchObject({ kind: "reply", text: "hi", session: "s1", capped: false });
    expect(end({ facts: { ...GOOD, settled: false } }).kind).toBe("failure");
    expect(end({ facts: { ...GOOD, verdict: null } }).kind).toBe("failure");
    expect(end({ end: { ...END, exitCode: 1 } }).kind).toBe("failure");
  });

  it("is a reply if raymond ended pi after its end", () => {
    const signaled = { ...END, exitCode: 143, endedByRaymond: true };

    expect(end({ end: signaled }).kind).toBe("reply");
  });

  it("is capped when the budget of the run ended an accepted call", () => {
    const facts = { ...GOOD, settled: false, text: "so far" };

    expect(end({ facts, cancelled: "budget" })).toMatchObject({ capped: true, text: "so far" });
    expect(end({ facts, cancelled: "stop" })).toMatchObject({ class: "cancelled" });
  });

  it.each([
    ['401: {"message":"no","code":"invalid_api_key"}', "deterministic"],
    ['403 {"type":"error"}', "deterministic"],
    ['404 {"type":"error","error":{"type":"not_found_error"}}', "deterministic"],
    ['400 {"type":"error"}', "deterministic"],
    ['429 {"type":"error","error":{"type":"rate_limit_error"}}', "outage"],
    ['429: {"message":"x","type":"usage_limit_reached"}', "limit"],
    ['429: {"code":"insufficient_quota"}', "deterministic"],
    ['500: {"message":"x"}', "outage"],
    ["529 overloaded", "outage"],
    ["Connection error.", "outage"],
    ["fetch failed", "outage"],
    ["You have hit your ChatGPT usage limit (plus plan). Try again in ~45 min.", "limit"],
    ["No API key found for anthropic.", "deterministic"],
    ['400 {"error":"prompt is too long: 213462 tokens > 200000 maximum"}', "deterministic"],
    ["The model refused to complete the request", "deterministic"],
    ["Provider finish_reason: content_filter", "deterministic"],
    ["Unhandled stop reason: model_context_window_exceeded", "deterministic"],
    ["Unhandled stop reason: new_reason", "deterministic"],
    [
      '400 {"error":"Your credit balance is too low. Please go to Plans & Billing."}',
      "deterministic",
    ],
    ['400 {"message":"You will regain access on 2026-12-01 at 00:00 UTC."}', "limit"],
    ['500 {"message":"billing is unavailable"}', "outage"],
    ["something else", "crash"],
  ])("with the error %s is of class %s", (error, kind) => {
    expect(failedWith(error)).toMatchObject({ kind: "failure", class: kind, session: "s1" });
  });

  it("fails at the maximum of output tokens, unless the answer has its tag", () => {
    const cut = (text: string) =>
      end({ facts: { ...GOOD, text, verdict: { stopReason: "length", error: null } } });

    for (const text of ["It is <result>o", "No tag"]) {
      const reply = cut(text);
      expect(reply).toMatchObject({ class: "deterministic" });
      expect(reply.kind === "failure" && reply.message).toContain("maximum of output tokens");
    }
    expect(cut("<goto>B</goto> and")).toMatchObject({ kind: "reply" });
  });

  it("knows the end of a limit", () => {
    expect(
      failedWith("You have hit your ChatGPT usage limit. Try again in ~45 min."),
    ).toMatchObject({
      resetsAt: AT + 45 * 60_000,
    });
    expect(failedWith('429: {"type":"usage_limit_reached"}')).toMatchObject({ resetsAt: null });
  });

  it.each([
    ["No API key found for the selected model.", "not logged in"],
    ['Error: Model "x" not found. Use --list-models to see available models.', "not found"],
    ["Error: Unknown option: --bogus", "arguments"],
    ["SyntaxError: The requested module 'node:fs' does not provide an export", "Node.js"],
    ['Error: Failed to load extension "/e.ts": boom', "extension"],
  ])("before the prompt, with %s on standard error, is permanent", (stderr, message) => {
    const failed = before(stderr);

    expect(failed).toMatchObject({ class: "deterministic", session: null });
    expect(failed.kind === "failure" && failed.message).toContain(message);
  });

  it("never takes a text of the model for an error", () => {
    const facts = { ...GOOD, settled: false, verdict: null, text: "429 usage limit reached" };

    expect(end({ facts, end: { ...END, exitCode: 1 } })).toMatchObject({ class: "crash" });
  });

  it("is a crash when a signal killed pi", () => {
    const killed = { ...END, exitCode: null, signal: "SIGKILL" as const };

    expect(end({ facts: { ...GOOD, settled: false }, end: killed })).toMatchObject({
      class: "crash",
      message: "pi was killed by SIGKILL before its result.",
    });
  });
});
