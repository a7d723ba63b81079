import { describe, expect, it } from "vitest";
import type { ClaudeEnding } from "../../../../src/clients/claude/facts.ts";
import { NO_FACTS, type Verdict } from "../../../../src/clients/claude/facts.ts";
import { classify } from "../../../../src/clients/claude/output/classify.ts";
import type { ProcessEnd } from "../../../../src/engine/ports/process.ts";
import { invocation } from "../../../contracts/backend.ts";
import {
  eventLines,
  readStream,
  recordedBytes,
  recordedEnd,
  VERSIONS,
  type Version,
} from "../recorded.ts";

const END: ProcessEnd = {
  exitCode: 0,
  signal: null,
  spawnError: null,
  endedByRaymond: false,
  durationMs: 5,
  leftOpen: false,
};
const GOOD: Verdict = {
  subtype: "success",
  isError: false,
  text: "",
  errors: [],
  apiStatus: null,
  terminalReason: "completed",
  stopReason: null,
};
const RESUME = { mode: "resume", id: "old" } as const;

function ending(changes: Partial<ClaudeEnding> = {}): ClaudeEnding {
  return {
    call: invocation({ session: { mode: "fresh", id: "s1" }, cwd: "/gone" }),
    command: "/bin/claude",
    facts: NO_FACTS,
    end: END,
    stderr: "",
    cancelled: null,
    expired: null,
    folderMissing: false,
    at: Date.parse("2026-09-21T12:00:00.000Z"),
    timeZone: "UTC",
    ...changes,
  };
}

const facts = (verdict: Partial<Verdict> | null, more = {}) => ({
  ...NO_FACTS,
  version: "2.1.330",
  session: "s1",
  accepted: true,
  text: "hi",
  verdict: verdict === null ? null : { ...GOOD, ...verdict },
  ...more,
});
const failed = { ...END, exitCode: 1 };

function classifyRecorded(version: Version, name: string, call = invocation()) {
  const { exitCode, signal, stderr } = recordedEnd(version, name);
  const end = { ...END, exitCode, signal };
  return classify(
    ending({ call, facts: readStream([recordedBytes(version, name)]).facts, end, stderr }),
  );
}

it.each<[string, Partial<Verdict>, string, RegExp, RegExp]>([
  [
    "the spend limit of an organization",
    {
      apiStatus: 400,
      text: "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-10-01 at 00:00 UTC.",
    },
    ...(["limit", /usage limit is reached/, /waits for the reset/] as const),
  ],
  [
    "an account without credit",
    { apiStatus: 400, text: "Credit balance is too low" },
    ...(["deterministic", /cannot pay/, /Add credit/] as const),
  ],
  [
    "a full context",
    { text: "API Error: The model has reached its context window limit." },
    ...(["deterministic", /conversation is too long/, /<reset>/] as const),
  ],
  [
    "the maximum of output tokens",
    { text: "API Error: Claude's response exceeded the 32000 output token maximum. …" },
    ...(["deterministic", /maximum of output tokens/, /shorter answer/] as const),
  ],
  [
    "a long conversation with a short prompt",
    { terminalReason: "prompt_too_long", text: "Prompt is too long" },
    ...(["deterministic", /conversation is too long/, /max_context/] as const),
  ],
])("reports %s with what helps", (_, verdict, kind, message, hint) => {
  const reply = classify(ending({ facts: facts({ isError: true, ...verdict }), end: failed }));

  expect(reply).toMatchObject({ kind: "failure", class: kind });
  expect(reply.kind === "failure" && reply.message).toMatch(message);
  expect(reply.kind === "failure" && reply.hint).toMatch(hint);
  if (kind === "limit") {
    expect(reply).toMatchObject({ resetsAt: Date.parse("2026-10-01T00:00Z") });
  }
});

describe.each(VERSIONS)("a call of claude %s, as recorded,", (version) => {
  it.each([
    "simple",
    "resume",
    "branch",
    "tool",
    "denied",
    "thinking",
    "pieces",
    "agent",
    "background",
    "warning",
    "retried",
    "stream-error",
    "clear",
    "hooks",
  ])("is a reply: %s", (name) => {
    expect(classifyRecorded(version, name)).toMatchObject({ kind: "reply", capped: false });
  });

  it("is a capped reply at its share of the budget", () => {
    expect(classifyRecorded(version, "capped")).toMatchObject({
      kind: "reply",
      capped: true,
      text: "all of it <goto>B</goto>",
    });
  });

  it.each([
    ["limit", "limit", /^The five-hour limit is reached/],
    ["overload", "outage", /529/],
    ["server-error", "outage", /500/],
    ["rate-limit", "outage", /429/],
    ["network", "outage", /Cannot reach the API/],
    ["reset", "outage", /Cannot reach the API/],
    ["bad-request", "deterministic", /400/],
    ["unauthorized", "deterministic", /401/],
    ["forbidden", "deterministic", /403/],
    ["unknown-model", "deterministic", /^Model .* not found/],
    ["too-large", "deterministic", /too large/],
    ["prompt-too-long", "deterministic", /205000.*200000/],
    ["credit", "deterministic", /Credit balance/],
    ["not-logged-in", "deterministic", /log in|logged in/],
    ["huge-9mb", "deterministic", /too long.*10\.0 MB/],
    ["huge-11mb", "deterministic", /limit of claude is 10 MB/],
    ["root", "deterministic", /rejects --dangerously-skip-permissions for root/],
    ["bad-flag", "deterministic", /unknown option '--nonsense'/],
    ["blank", "crash", /before its result/],
    ["killed-streaming", "crash", /killed by SIGKILL/],
    ["interrupted-streaming", "crash", /./],
    ["interrupted-tool", "crash", /./],
  ])("is a failure: %s is %s", (name, kind, message) => {
    const reply = classifyRecorded(version, name);

    expect(reply).toMatchObject({ kind: "failure", class: kind });
    expect("refused" in reply && reply.refused).not.toBe("session-in-use");
    expect(reply.kind === "failure" && reply.message).toMatch(message);
  });

  it("distinguishes an unknown conversation from one in use", () => {
    const lost = classifyRecorded(version, "unknown-id", invocation({ session: RESUME }));
    expect(lost).toMatchObject({
      class: "lost-session",
      session: null,
    });

    const used = classifyRecorded(version, "in-use");
    expect(used).toMatchObject({ class: "crash", refused: "session-in-use", session: null });
  });

  it("returns the session of a failure only if the prompt was accepted", () => {
    expect(classifyRecorded(version, "killed-streaming").session).toMatch(/^[0-9a-f-]{36}$/);
    expect(classifyRecorded(version, "hooks-hang").session).toBeNull();
  });

  it("returns the reset time of a limit", () => {
    expect(classifyRecorded(version, "limit")).toMatchObject({ resetsAt: 1_790_000_000_000 });
  });
});

describe("a refusal of the model", () => {
  it("fails a step that has used up its turns, with the limit and no retry", () => {
    const call = { ...invocation({ maxTurns: 3 }), state: "PLAN.md" };
    const verdict = { subtype: "error_max_turns", isError: true };
    expect(classify(ending({ call, facts: facts(verdict), end: failed }))).toMatchObject({
      kind: "failure",
      class: "deterministic",
      message: "PLAN.md has reached its max_turns: 3 turns.",
      hint: expect.stringContaining("--max-turns") as string,
    });
  });

  it("is deterministic if the client gives up, and no failure if it retries", () => {
    expect(classifyRecorded("2.1.197", "refusal")).toMatchObject({ class: "deterministic" });
    expect(classifyRecorded("2.1.330", "refusal")).toMatchObject({ kind: "reply" });
  });
});

describe("a sandbox that the client cannot create", () => {
  const stderr =
    "Error: sandbox required but unavailable: dependencies are missing: socat not installed · Set sandbox.failIfUnavailable=false\n";
  const sandboxed = invocation({ sandbox: { writable: ["/repo"], network: true } });

  it("is deterministic, without the advice to run without it", () => {
    const reply = classify(ending({ call: sandboxed, end: failed, stderr }));
    expect(reply).toMatchObject({
      class: "deterministic",
      message: expect.stringMatching(
        /^claude cannot create the sandbox of .*: dependencies are missing: socat not installed\.$/,
      ) as string,
      hint: expect.stringContaining("apt install bubblewrap socat") as string,
    });
  });

  it("is not assumed of a call without one", () => {
    expect(classify(ending({ end: failed, stderr }))).toMatchObject({ class: "crash" });
  });
});

describe("classify", () => {
  it.each([
    ["a result, no error and exit 0 are a success", { facts: facts({}) }],
    [
      "a client that lingered after a good result and was ended is a success",
      {
        facts: facts({}),
        end: { ...END, exitCode: null, signal: "SIGTERM", endedByRaymond: true },
      },
    ],
    [
      "a success whose result came before the signal stays one",
      { facts: facts({}), end: { ...END, endedByRaymond: true }, cancelled: "stop" },
    ],
  ] as const)("%s", (_title, changes) => {
    expect(classify(ending(changes))).toMatchObject({ kind: "reply", text: "hi", session: "s1" });
  });

  it("returns null if there was no text", () => {
    expect(classify(ending({ facts: facts({}, { text: null }) }))).toMatchObject({
      kind: "reply",
      text: null,
    });
  });

  it.each([
    ["exit 0 without a result", { facts: facts(null) }, "crash", /exit code 0 before its result/],
    ["exit 0 without anything", {}, "crash", /exit code 0/],
    [
      "a good result, but another exit code",
      { facts: facts({}), end: { ...END, exitCode: 3 } },
      "crash",
      /exit code 3 after its result/,
    ],
    [
      "a good result, but killed by another",
      { facts: facts({}), end: { ...END, exitCode: null, signal: "SIGKILL" } },
      "crash",
      /SIGKILL after/,
    ],
    [
      "an interrupt, whatever the exit code",
      { facts: facts(null), end: { ...END, endedByRaymond: true }, cancelled: "stop" },
      "cancelled",
      /interrupted/,
    ],
    [
      "silence",
      {
        end: { ...END, endedByRaymond: true },
        expired: { kind: "silence", duringTool: false, afterMs: 600_000 },
      },
      "crash",
      /printed nothing/,
    ],
    [
      "silence of a tool",
      {
        end: { ...END, endedByRaymond: true },
        expired: { kind: "silence", duringTool: true, afterMs: 600_000 },
      },
      "crash",
      /tool call took longer/,
    ],
    [
      "the end of the step's own time",
      {
        end: { ...END, endedByRaymond: true },
        expired: { kind: "deadline", limitMs: 1_200_000, elapsedMs: 1_203_000 },
      },
      "deterministic",
      /^PLAN\.md exceeded its timeout of 20m 00s and was stopped after 20m 03s\.$/,
    ],
    [
      "no client",
      { end: { ...END, exitCode: null, spawnError: { code: "ENOENT", message: "x" } } },
      "deterministic",
      /Cannot find claude: \/bin\/claude does not exist/,
    ],
    [
      "no folder to work in",
      {
        end: { ...END, exitCode: null, spawnError: { code: "ENOENT", message: "x" } },
        folderMissing: true,
      },
      "deterministic",
      /\/gone/,
    ],
    [
      "a client that may not be run",
      { end: { ...END, exitCode: null, spawnError: { code: "EACCES", message: "denied" } } },
      "deterministic",
      /Cannot start/,
    ],
    [
      "a limit without an event, by its wording",
      {
        facts: facts({
          isError: true,
          apiStatus: 429,
          text: "You've hit your session limit · resets 3pm",
        }),
        end: failed,
      },
      "limit",
      /usage limit/,
    ],
    [
      "429 without event or wording",
      {
        facts: facts({ isError: true, apiStatus: 429, text: "Request rejected (429)" }),
        end: failed,
      },
      "outage",
      /429/,
    ],
    [
      "an old limit event before another error",
      {
        facts: facts(
          { isError: true, apiStatus: 500, text: "x" },
          { limit: { type: "five_hour", resetsAt: 1 } },
        ),
        end: failed,
      },
      "outage",
      /500/,
    ],
    [
      "the words of a limit in the model's reply",
      {
        facts: facts(
          { isError: true, apiStatus: 529, text: "overloaded" },
          { text: "You've hit your session limit" },
        ),
        end: failed,
      },
      "outage",
      /529/,
    ],
    [
      "an unknown error",
      {
        facts: facts({ isError: true, subtype: "error_during_execution", errors: ["boom"] }),
        end: failed,
        stderr: "trace\nlast words\n",
      },
      "crash",
      /boom.*last words/,
    ],
    [
      "a TLS error",
      { facts: facts({ isError: true, text: "self-signed certificate" }), end: failed },
      "deterministic",
      /certificate/,
    ],
    [
      "words of a lost session after the work began",
      { facts: facts(null), end: failed, stderr: "No conversation found" },
      "crash",
      /exit code 1/,
    ],
  ] as const)("%s is a failure", (_title, changes, kind, message) => {
    const reply = classify(ending(changes));

    expect(reply).toMatchObject({ kind: "failure", class: kind });
    expect(reply.kind === "failure" && reply.message).toMatch(message);
  });

  it("detects a limit by its text, if an old client reports nothing else", () => {
    const verdict = { isError: true, text: "5-hour limit reached ∙ resets 3pm" };

    expect(classify(ending({ facts: facts(verdict), end: failed }))).toMatchObject({
      class: "limit",
      resetsAt: Date.parse("2026-09-21T15:00:00.000Z"),
    });
  });

  it("does not detect a limit in text of the model", () => {
    const text = "You've hit your session limit · resets 3pm";
    const verdict = facts({ isError: true, text }, { text: `Look: ${text}` });

    expect(classify(ending({ facts: verdict, end: failed }))).toMatchObject({ class: "crash" });
  });

  it("reads the reset by the clock of the machine, where the words name no zone", () => {
    const verdict = { isError: true, apiStatus: 429, text: "You've hit your limit · resets 3pm" };
    const here = { facts: facts(verdict), end: failed, timeZone: "Europe/Berlin" };

    expect(classify(ending(here))).toMatchObject({
      resetsAt: Date.parse("2026-09-21T13:00:00.000Z"),
    });
  });

  it("believes the event before the words", () => {
    const verdict = { isError: true, apiStatus: 429, text: "You've hit your limit · resets 3pm" };
    const limit = { type: "five_hour", resetsAt: 1_790_000_000_000 };

    expect(classify(ending({ facts: facts(verdict, { limit }), end: failed }))).toMatchObject({
      resetsAt: 1_790_000_000_000,
    });
    const silent = { facts: facts(verdict, { limit: { ...limit, resetsAt: null } }), end: failed };
    expect(classify(ending(silent))).toMatchObject({
      resetsAt: Date.parse("2026-09-21T15:00:00.000Z"),
    });
  });

  it("reads the reset out of the older wording", () => {
    const verdict = {
      isError: true,
      apiStatus: 429,
      text: "Claude AI usage limit reached|1790000000",
    };

    expect(classify(ending({ facts: facts(verdict), end: failed }))).toMatchObject({
      class: "limit",
      resetsAt: 1_790_000_000_000,
    });
  });

  it("names the source of a branch if it is missing", () => {
    const call = invocation({ session: { mode: "branch", source: "src", id: "new" } });

    const reply = classify(
      ending({ call, end: failed, stderr: "No conversation found with session ID: src" }),
    );

    expect(reply).toMatchObject({
      class: "lost-session",
      message: expect.stringContaining("src") as string,
    });
  });

  it("has a hint if a user can fix the failure", () => {
    for (const name of [
      "not-logged-in",
      "root",
      "unknown-model",
      "huge-11mb",
      "limit",
      "bad-flag",
    ]) {
      const reply = classifyRecorded("2.1.330", name);

      expect(reply.kind === "failure" && reply.hint, name).toMatch(/\.$/);
    }
  });

  it("reports the cost, also of failures", () => {
    const reply = classify(
      ending({
        facts: facts(null, { spend: { ...NO_FACTS.spend, costMicroUsd: 7 }, model: "m" }),
        end: failed,
      }),
    );

    expect(reply.spend).toMatchObject({ costMicroUsd: 7, model: "m", version: "2.1.330" });
  });
});

it("is a success if raymond ended background work, and cancelled if a person stopped the wait", () => {
  const endedWork = ['the command "build"'];
  const waiting = (cancelled: "stop" | "budget" | null) =>
    classify(
      ending({
        facts: facts({}, { endedWork }),
        end: { ...END, endedByRaymond: true },
        cancelled,
      }),
    );

  expect(waiting(null)).toMatchObject({ kind: "reply", capped: false, endedWork });
  expect(waiting("budget")).toMatchObject({ kind: "reply", capped: false, endedWork });
  expect(waiting("stop")).toMatchObject({ kind: "failure", class: "cancelled" });
});

describe.each(VERSIONS)("with a recorded init of %s", (version) => {
  const missing = (names: readonly string[], servers: readonly object[]) => {
    let ended = 0;
    const onMissing = () => {
      ended += 1;
    };
    const recorded = recordedBytes(version, "simple").toString().split("\n");
    const init = recorded.find((line) => line.includes('"subtype":"init"')) ?? "";
    const changed = { ...(JSON.parse(init) as object), mcp_servers: servers };
    const chunks = [eventLines(changed)];
    const { facts } = readStream(chunks, undefined, undefined, { names, onMissing });
    return { ended, reply: classify(ending({ facts, cancelled: "stop", end: failed })) };
  };

  it.each([
    [
      "failed",
      [
        { name: "a", status: "connected" },
        { name: "b", status: "failed" },
      ],
    ],
    [
      "pending",
      [
        { name: "a", status: "connected" },
        { name: "b", status: "pending" },
      ],
    ],
    ["not configured", [{ name: "a", status: "connected" }]],
    ["?", [{ name: "a", status: "connected" }, { name: "b" }]],
  ])("ends the call if a required MCP server is %s", (status, servers) => {
    expect(missing(["a", "b"], servers)).toMatchObject({
      ended: 1,
      reply: {
        class: "deterministic",
        message: `The MCP server b of ${invocation().state} is not connected (${status}).`,
        hint: expect.stringContaining("claude mcp list") as string,
      },
    });
  });

  it("continues if all required MCP servers are connected", () => {
    const servers = [
      { name: "a", status: "connected" },
      { name: "b", status: "failed" },
    ];

    expect(missing(["a"], servers)).toMatchObject({ ended: 0, reply: { class: "cancelled" } });
  });
});

it("fails without reminders if a hook blocked the prompt", () => {
  const blocked = (more: object) =>
    classify(ending({ facts: facts({}, { text: null, stoppedByHook: "no secrets", ...more }) }));

  expect(blocked({})).toMatchObject({
    class: "deterministic",
    message: expect.stringMatching(/hook .*: no secrets\./) as string,
  });
  expect(blocked({ text: "Done." })).toMatchObject({ kind: "reply" });
});

it("names hooks and servers if the client is silent before its first event", () => {
  const expired = { kind: "silence", duringTool: false, afterMs: 4_000 } as const;
  const silent = (more: object) => classify(ending({ expired, facts: facts(null, more) }));

  expect(silent({ version: null })).toMatchObject({
    class: "crash",
    message: expect.stringContaining(
      "printed nothing for 4s and was terminated before the prompt",
    ) as string,
    hint: expect.stringContaining("SessionStart hook") as string,
  });
  expect(silent({})).toMatchObject({ hint: expect.stringContaining("--timeout") as string });
});
