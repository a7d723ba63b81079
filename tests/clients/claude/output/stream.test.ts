import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClientStream } from "../../../../src/clients/claude/output/stream.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { eventLines, readStream, recordedBytes, VERSIONS } from "../recorded.ts";

const init = {
  type: "system",
  subtype: "init",
  session_id: "s",
  claude_code_version: "2.1.330",
  model: "m",
};
const text = (words: string, more = {}) => ({
  type: "assistant",
  message: { model: "m", content: [{ type: "text", text: words }] },
  parent_tool_use_id: null,
  ...more,
});
const use = (id: string, input: object = {}) => ({
  type: "assistant",
  message: { model: "m", content: [{ type: "tool_use", id, name: "Bash", input }] },
  parent_tool_use_id: null,
});
const answered = (id: string, parent: string | null = null) => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id }] },
  parent_tool_use_id: parent,
});
const result = (more = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 1,
  total_cost_usd: 0.01,
  usage: { input_tokens: 1000, output_tokens: 100 },
  ...more,
});
const partial = (event: object) => ({ type: "stream_event", event });
const read = (...events: readonly object[]) => readStream([eventLines(...events)]);

it("returns a tool call that a deny rule of a path denied, also if the client does not list it", () => {
  const DENIED =
    "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>";
  const call = use("t1", { file_path: "/p/.env" });
  const answer = (content: string, more = {}) => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "t1", content, ...more }] },
    parent_tool_use_id: null,
  });
  const listed = { tool_name: "Bash", tool_use_id: "t1", tool_input: { file_path: "/p/.env" } };
  const denials = (content: string, more: object, list: readonly object[]) =>
    read(init, call, answer(content, more), result({ permission_denials: list })).facts.denials;

  expect(denials(DENIED, { is_error: true }, [])).toEqual([{ tool: "Bash", input: "/p/.env" }]);
  expect(denials(DENIED, { is_error: true }, [listed])).toHaveLength(1);
  expect(denials(DENIED, {}, [])).toEqual([]);
  expect(denials(`Exit code 1\n${DENIED}`, { is_error: true }, [])).toEqual([]);
});

describe.each(VERSIONS)("a stream of claude %s, as recorded", (version) => {
  const recorded = (name: string) => readStream([recordedBytes(version, name)]);

  it("returns version, session, text, cost and tokens of a simple turn", () => {
    const { facts, reports } = recorded("simple");

    expect(facts).toMatchObject({ version, accepted: true, text: "hello <goto>NEXT</goto>" });
    expect(facts.session).toMatch(/^[0-9a-f-]{36}$/);
    expect(facts.spend.costMicroUsd).toBeGreaterThan(0);
    expect(facts.spend.tokens).toMatchObject({ output: 6 });
    expect(reports).toEqual(["accepted", "message hello <goto>NEXT</goto>"]);
  });

  it("reports increasing usage at every answer of the model", () => {
    const { spends, facts } = recorded("tool");

    expect(spends.length).toBeGreaterThanOrEqual(2);
    expect(spends.at(-1)).toMatchObject({ version: version, costMicroUsd: null });
    expect(spends.at(-1)?.tokens.input).toBeLessThanOrEqual(facts.spend.tokens.input);
    const inputs = spends.map(({ tokens }) => tokens.input);
    expect(inputs).toEqual(inputs.toSorted((a, b) => a - b));
  });

  it.each([
    ["only what follows the last tool", "tool", "after the tool <goto>B</goto>"],
    [
      "the pieces of a reply that the client had to continue",
      "pieces",
      "part one <goto>NEXT.md</goto>",
    ],
    ["no thinking", "thinking", "line one is here <result>ok</result>"],
    ["the main thread, not a subagent", "agent", "main after agent <goto>B</goto>"],
    [
      "the turn with the tag, where something in the background brought another",
      "background",
      "started it <goto>B</goto>",
    ],
    ["what was said before the cap", "capped", "all of it <goto>B</goto>"],
    ["what came after a retry", "retried", "in the end <goto>B</goto>"],
  ])("takes %s as the final message", (_what, name, expected) => {
    expect(recorded(name).facts.text).toBe(expected);
  });

  it.each(["clear", "unknown-id", "not-logged-in", "overload", "limit", "network"])(
    "has no text of a model after %s",
    (name) => {
      expect(recorded(name).facts.text).toBeNull();
    },
  );

  it("reports tools with name and argument", () => {
    expect(recorded("tool").reports).toContain("tool Bash echo hi");
  });

  it("returns denied tool calls", () => {
    expect(recorded("denied").facts.denials).toEqual([
      { tool: "Bash", input: "node -e 1", exact: "node -e 1" },
    ]);
  });

  it("returns the limit, and shows a notice before it", () => {
    expect(recorded("limit").facts.limit).toEqual({
      type: "five_hour",
      resetsAt: 1_790_000_000_000,
    });
    expect(recorded("warning").reports).toContain(
      "notice The five-hour limit is 90 % used and resets at 2026-09-21 14:13 UTC.",
    );
  });

  it("reports the client's own retries", () => {
    expect(recorded("retried").reports).toContain(
      "notice The API answered 529 (overloaded). claude retries in 1 s (attempt 1 of 1).",
    );
  });

  it("does not count hooks and a status as acceptance of the prompt", () => {
    expect(recorded("hooks-hang").facts).toMatchObject({ version, accepted: false });
    expect(recorded("hooks").facts.accepted).toBe(true);
  });

  it("counts the tokens of a killed process from its partial messages", () => {
    const { facts } = recorded("killed-streaming");

    expect(facts).toMatchObject({ accepted: true, spend: { costMicroUsd: null }, verdict: null });
    expect(facts.spend.tokens.input).toBeGreaterThan(1000);
  });

  it("counts the usage of subagents", () => {
    const { spend } = recorded("agent").facts;

    expect(spend.tokens.input).toBe(version === "2.1.197" ? 67_178 : 43_428);
    expect(spend.unreported).toEqual([]);
  });

  it("estimates an interrupted answer only if no figure of the client includes it", () => {
    const { spend } = recorded("interrupted-streaming").facts;

    if (version === "2.1.197") {
      expect(spend).toMatchObject({ costMicroUsd: 0, unreported: [{ tokens: { input: 25_605 } }] });
    } else {
      expect(spend).toMatchObject({ costMicroUsd: 23_504, unreported: [] });
    }
    expect(spend.tokens.input).toBeGreaterThan(10_000);
  });

  it("sums the tokens of several turns", () => {
    const { facts } = recorded("background");

    expect(facts.spend.tokens.input).toBe(version === "2.1.197" ? 77_301 : 35_788);
  });

  it("records all but the partial messages", () => {
    const { lines } = recorded("tool");

    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes('"stream_event"'))).toEqual([]);
  });

  it("reads the same however it is cut into chunks", () => {
    const bytes = recordedBytes(version, "agent");
    const whole = readStream([bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));

        expect(readStream(chunks)).toEqual(whole);
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});

describe("ClientStream", () => {
  it("survives whatever it is fed", () => {
    const line = fc.oneof(
      fc.json(),
      fc.string({ unit: "binary" }),
      fc
        .record({
          type: fc.constantFrom(
            "system",
            "assistant",
            "user",
            "result",
            "stream_event",
            "rate_limit_event",
            "x",
          ),
          subtype: fc.oneof(fc.constantFrom("init", "api_retry", "success"), fc.jsonValue()),
          message: fc.jsonValue(),
          event: fc.jsonValue(),
          usage: fc.jsonValue(),
          rate_limit_info: fc.jsonValue(),
          permission_denials: fc.jsonValue(),
          errors: fc.jsonValue(),
          total_cost_usd: fc.jsonValue(),
        })
        .map((event) => JSON.stringify(event)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const { facts } = readStream([Buffer.from(lines.join("\n"))]);

        expect(facts.spend.tokens.input).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("ignores noise, and events before init, of unknown types and without a type", () => {
    const noise = Buffer.from("npm warn x\n\n{ torn\n[1]\n{}\n");

    const { facts } = readStream([
      eventLines({ type: "system", subtype: "ui" }),
      noise,
      eventLines({ type: "new" }, init, text("hi"), result()),
    ]);

    expect(facts).toMatchObject({ version: "2.1.330", text: "hi", accepted: true });
  });

  it("reads a last line that has no line end, and lets a torn one be", () => {
    const whole = eventLines(init, text("hi"), result()).toString().trimEnd();

    expect(readStream([Buffer.from(whole)]).facts.verdict?.subtype).toBe("success");
    expect(readStream([Buffer.from(whole.slice(0, -5))]).facts).toMatchObject({
      verdict: null,
      text: "hi",
    });
  });

  it("reads a line of 20 MB, and drops one over its limit with a notice", () => {
    const big = eventLines(init, text("x".repeat(20_000_000)), result());

    expect(readStream([big]).facts.text?.length).toBe(20_000_000);
    const small = readStream([big], 1_000_000);
    expect(small.facts).toMatchObject({ text: null, verdict: { isError: false } });
    expect(small.reports.join()).toMatch(/notice Dropped a line of \d+ bytes from claude/);
  });

  it("uses the last turn with a tag, or else the last turn", () => {
    const turns = (first: string, second: string) =>
      read(init, text(first), result(), init, text(second), result()).facts.text;

    expect(turns("one", "two")).toBe("two");
    expect(turns("<goto>A</goto>", "two")).toBe("<goto>A</goto>");
    expect(turns("<goto>A</goto>", "<goto>B</goto>")).toBe("<goto>B</goto>");
  });

  it("keeps the cost of the very last result", () => {
    const { spend } = read(init, result(), result({ total_cost_usd: 0.07 })).facts;

    expect(spend).toMatchObject({ costMicroUsd: null, conversationMicroUsd: 70_000 });
  });

  it("classifies a result without is_error by its other fields", () => {
    const unsaid = { is_error: undefined };
    const isError = (more: object) =>
      read(init, result({ ...unsaid, ...more })).facts.verdict?.isError;

    expect(isError({})).toBe(false);
    expect(isError({ subtype: "error_during_execution" })).toBe(true);
    expect(isError({ api_error_status: 529 })).toBe(true);
    expect(isError({ terminal_reason: "api_error" })).toBe(true);
  });

  it("reports a tool without a result, also of a subagent", () => {
    expect(read(init, use("a"), use("b"), answered("a")).activity).toBe("tool");
    expect(read(init, use("a"), answered("a")).activity).toBe("thinking");
    expect(read(init, use("a"), answered("b", "a")).activity).toBe("tool");
    expect(read(init, use("a"), result()).activity).toBe("settled");
    expect(read(init, result(), init).activity).toBe("thinking");
    expect(read(init, result(), { type: "system", subtype: "task_updated" }).activity).toBe(
      "settled",
    );
  });

  it("takes only the text after the feedback of a Stop hook as the final message", () => {
    const synthetic = (words: string, more: object = {}) => ({
      type: "user",
      message: { role: "user", content: [{ type: "text", text: words }] },
      parent_tool_use_id: null,
      isSynthetic: true,
      ...more,
    });
    const feedback = synthetic("Stop hook feedback:\nlint fails");
    const first = text("Done. <result>1</result>");
    const finalText = (...events: readonly object[]) => read(init, ...events).facts.text;

    expect(finalText(first, feedback, text("Fixed. <goto>B</goto>"), result())).toBe(
      "Fixed. <goto>B</goto>",
    );
    expect(finalText(first, feedback, text("Fixed."), result())).toBe("Fixed.");
    expect(finalText(first, result(), init, text("More."), feedback, text("Yes."), result())).toBe(
      "Yes.",
    );
    expect(finalText(first, feedback)).toBeNull();
    const ofSubagent = { ...feedback, parent_tool_use_id: "t1" };
    expect(finalText(first, ofSubagent, result())).toBe("Done. <result>1</result>");
    const notified = synthetic("<task-notification>", { origin: { kind: "task-notification" } });
    expect(finalText(first, notified, result())).toBe("Done. <result>1</result>");
    const cut = partial({
      type: "message_delta",
      delta: { stop_reason: "max_tokens" },
      usage: { output_tokens: 9 },
    });
    expect(finalText(text("<goto>"), cut, feedback, text("B</goto>"), result())).toBe(
      "<goto>B</goto>",
    );
  });

  it("shows a notice for tools that raymond withholds, and lists them as no denials", () => {
    const call = (name: string, input: object) => ({
      type: "assistant",
      message: { model: "m", content: [{ type: "tool_use", id: "t1", name, input }] },
      parent_tool_use_id: null,
    });
    const seen = (name: string, input: object = {}) => {
      const denial = { tool_name: name, tool_use_id: "t1", tool_input: input };
      const end = result({ permission_denials: [denial] });
      const { facts, reports } = read(init, call(name, input), end);
      return [...reports.filter((line) => line.startsWith("notice")), facts.denials.length];
    };
    const worktree = expect.stringContaining("attribute of a tag") as string;

    expect(seen("EnterWorktree")).toEqual([worktree, 0]);
    expect(seen("Agent", { isolation: "worktree" })).toEqual([worktree, 0]);
    expect(seen("Task", { isolation: "worktree" })).toEqual([worktree, 0]);
    expect(seen("Task", { prompt: "x" })).toEqual([1]);
    expect(seen("CronCreate")).toEqual([expect.stringContaining("after the step"), 0]);
    expect(seen("ScheduleWakeup")).toEqual([1]);
  });

  it("returns why a hook stopped the turn, and the MCP servers that are not available", () => {
    const stopped = (more: object) => ({
      ...{ type: "system", subtype: "informational", prevent_continuation: true },
      content:
        "UserPromptSubmit operation blocked by hook:\n[x]: no secrets\n\n\nOriginal prompt: P",
      ...more,
    });
    const outcome = { prompt_submit_outcome: { kind: "blocked_by_hook", reason: "no secrets" } };
    const servers = ["a:failed", "b:connected", "c:needs-auth", "d:pending"].map((one) => {
      const [name, status] = one.split(":");
      return { name, status };
    });

    expect(read(init, stopped(outcome)).facts.stoppedByHook).toBe("no secrets");
    expect(read(init, stopped({})).facts.stoppedByHook).toMatch(/no secrets$/);
    expect(
      read(init, stopped({ prevent_continuation: false })).facts.stoppedByHook,
    ).toBeUndefined();
    expect(read({ ...init, mcp_servers: servers }).facts.missingServers).toEqual([
      '"a" (failed)',
      '"c" (needs-auth)',
    ]);
  });

  it("waits for background work after a result, and returns what did not complete", () => {
    const task = (subtype: string, more: object = {}) => {
      const known = { task_id: "t1", task_type: "local_bash", description: "build" };
      return { type: "system", subtype, ...known, ...more };
    };
    const started = task("task_started", { tool_use_id: "a" });
    const ended = task("task_notification", { status: "completed" });
    const scheduled = (at: number) => ({
      ...answered("w"),
      tool_use_result: { scheduledFor: at, clampedDelaySeconds: 60 },
    });
    const fired = { type: "command_lifecycle", state: "started", wakeup_source: "loop_wakeup" };
    const work = (...events: readonly object[]) => {
      const { activity, facts } = read(init, ...events);
      return [activity, ...(facts.endedWork ?? [])];
    };
    const build = 'the command "build"';

    expect(work(started, result())).toEqual(["background", build]);
    expect(work(started, text("I build."))).toEqual(["thinking"]);
    expect(work(started, result(), ended)).toEqual(["settled"]);
    expect(work(started, result(), ended, init, result())).toEqual(["settled"]);
    const stopped = task("task_notification", { status: "stopped" });
    expect(work(started, result(), stopped)).toEqual(["settled", build]);
    expect(work(started, stopped, result())).toEqual(["settled"]);
    expect(work(started, result(), stopped, init, result())).toEqual(["settled"]);
    const inForeground = task("task_started", { is_backgrounded: false });
    expect(work(inForeground, result())).toEqual(["settled"]);
    const listed = task("background_tasks_changed", { tasks: [inForeground] });
    expect(work(inForeground, listed, result())).toEqual(["background", build]);
    const answer = (result_: object) => ({ ...answered("a"), tool_use_result: result_ });
    expect(work(started, answer({ stdout: "" }), result())).toEqual(["settled"]);
    expect(work(started, answer({ backgroundTaskId: "t1" }), result())).toHaveLength(2);
    expect(work(started, answer({ taskId: "t1" }), result())).toHaveLength(2);
    const at = Date.UTC(2026, 0, 2, 3, 4);
    expect(work(scheduled(at), result())).toEqual([
      "background",
      "a wake-up at 2026-01-02T03:04:00Z",
    ]);
    expect(work(scheduled(0), result())).toEqual(["settled"]);
    expect(work(scheduled(1e300), result())).toEqual(["settled"]);
    expect(work(scheduled(at), result(), fired, init, result())).toEqual(["settled"]);
    expect(read(init, started, result()).reports).toContain(`notice claude waits for ${build}.`);
  });

  it("reports a subagent in the background until it ends", () => {
    const task = (subtype: string, more: object = {}) => {
      return { type: "system", subtype, task_id: "t1", task_type: "local_agent", ...more };
    };
    const started = task("task_started");
    expect(read(init, started).activity).toBe("background");
    expect(read(init, started, use("a")).activity).toBe("tool");
    expect(read(init, started, result()).activity).toBe("background");
    expect(read(init, started, task("task_notification")).activity).toBe("thinking");
    const killed = task("task_updated", { patch: { status: "killed" } });
    expect(read(init, started, killed).activity).toBe("thinking");
    const running = task("task_updated", { patch: { status: "running" } });
    expect(read(init, started, running).activity).toBe("background");
    const changed = (...tasks: readonly object[]) => task("background_tasks_changed", { tasks });
    expect(read(init, changed(started)).activity).toBe("background");
    expect(read(init, started, changed()).activity).toBe("thinking");
    expect(read(init, task("task_started", { task_type: "local_bash" })).activity).toBe("thinking");
  });

  it("a tool result of a subagent does not make the main thread's text narration", () => {
    expect(read(init, text("kept"), answered("x", "parent")).facts.text).toBe("kept");
  });

  it("estimates the size of an interrupted answer by its received part", () => {
    const start = partial({
      type: "message_start",
      message: { usage: { input_tokens: 50, output_tokens: 1 } },
    });
    const delta = partial({
      type: "content_block_delta",
      delta: { type: "text_delta", text: "x".repeat(400) },
    });
    const end = partial({ type: "message_delta", usage: { output_tokens: 90 } });

    expect(read(init, start, delta).facts.spend.tokens).toMatchObject({ input: 50, output: 100 });
    expect(read(init, start, delta, end).facts.spend.tokens).toMatchObject({
      input: 50,
      output: 90,
    });
    expect(read(init, start, delta, end, start).facts.spend.tokens).toMatchObject({
      input: 100,
      output: 91,
    });
  });

  it.each([-3, 1e308, 2e6])("does not believe a cost of %s dollars", (total_cost_usd) => {
    const { facts } = read(init, text("done"), result({ total_cost_usd }));

    // The tokens say what it may have cost.
    const tokens = { input: 1000, output: 100 };
    expect(facts.spend).toMatchObject({ costMicroUsd: null, conversationMicroUsd: null, tokens });
  });

  it("estimates the prompt of a request of whose answer nothing came", () => {
    const requesting = { type: "system", subtype: "status", status: "requesting" };
    const sized = { model: "claude-sonnet-4-5", chars: 4_000, contextTokens: 50_000 };
    const input = (...events: readonly object[]) => {
      const { facts } = readStream([eventLines(init, requesting, ...events)], undefined, sized);
      return facts.spend.unreported.map(({ tokens }) => tokens.input);
    };

    expect(input()).toEqual([51_000]);
    const usage = { input_tokens: 100 };
    expect(input(partial({ type: "message_start", message: { usage } }))).toEqual([100]);
    expect(input({ type: "system", subtype: "api_retry" })).toEqual([]);
    expect(input(result({ terminal_reason: "aborted_streaming", usage: {} }))).toEqual([51_000]);
    expect(input(result({ is_error: true, usage: {}, total_cost_usd: 0 }))).toEqual([]);
  });

  it("estimates interrupted answers that a result does not include, at the price of their model", () => {
    const of = (id: string, model: string, input_tokens: number) => ({
      ...partial({ type: "message_start", message: { id, model, usage: { input_tokens } } }),
      ...(model.includes("haiku") ? { parent_tool_use_id: "t1" } : {}),
    });
    const own = {
      "claude-opus-4-6[1m]": { inputTokens: 1_000, outputTokens: 0, costUSD: 0.005 },
      "claude-haiku-4-5-20251001": { inputTokens: 9_000, outputTokens: 0, costUSD: 0.009 },
    };
    const { spend } = read(
      init,
      of("m1", "claude-opus-4-6", 2_000),
      of("m2", "claude-opus-4-6", 1_000),
      of("s1", "claude-haiku-4-5", 9_000),
      result({ total_cost_usd: 0.014, model_usage_since_last_result: own }),
    ).facts;

    expect(spend).toMatchObject({
      costMicroUsd: 14_000,
      unreported: [{ model: "claude-opus-4-6", tokens: { input: 2_000 }, listMicroUsd: 10_000 }],
    });
    expect(spend.reported.map(({ costMicroUsd }) => costMicroUsd)).toEqual([5_000, 9_000]);
  });

  it("does not believe more tokens than a sum of whole numbers can hold", () => {
    const { facts } = read(init, result({ usage: { input_tokens: 1e300, output_tokens: 100 } }));

    expect(facts.spend.tokens).toMatchObject({ input: 0, output: 100 });
  });

  it.each([-1, 1e300, 253_402_300_800])("ignores a reset of a limit at second %s", (at) => {
    const rejected = { status: "rejected", resetsAt: at };
    const { facts } = read(init, { type: "rate_limit_event", rate_limit_info: rejected });

    expect(facts.limit).toEqual({ type: null, resetsAt: null });
  });

  it("ignores results after a signal, but counts their cost", () => {
    const none = (): undefined => undefined;
    const sink = {
      accepted: none,
      message: none,
      spending: none,
      tool: none,
      notice: none,
      warning: none,
      line: none,
      alive: none,
    };
    const stream = new ClientStream(sink);
    stream.push(eventLines(init, text("good"), result()));
    stream.seal();
    stream.push(eventLines(text("late"), result({ is_error: true, total_cost_usd: 0.09 })));
    stream.end();

    expect(stream.facts).toMatchObject({
      text: "good",
      verdict: { isError: false },
      spend: { conversationMicroUsd: 90_000 },
    });
  });
});
