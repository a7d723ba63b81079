import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Invocation } from "../../../src/engine/ports/backend.ts";
import { witness } from "../../contracts/backend.ts";
import { cancellation } from "../../support/cancellation.ts";
import { type Answer, fails, runs, says } from "./responses-api.ts";
import { bill, codexScene, listed } from "./scene.ts";

const fresh = () => ({ mode: "fresh", id: crypto.randomUUID() }) as const;

/** Calls a tool once, then answers. */
function working(
  command: string,
  text: string,
): (request: { readonly results: readonly string[] }) => Answer {
  return ({ results }) => (results.length === 0 ? runs(command) : says(text));
}

describe("the usage of a call", () => {
  it("is that of its own answers, also in a resumed and in a branched conversation", async () => {
    const scene = await codexScene(working("echo hi", "<goto>NEXT</goto>"));
    const session = fresh();
    const branch = { mode: "branch", source: session.id, id: crypto.randomUUID() } as const;
    const replies = [
      await scene.ask(session),
      await scene.ask({ mode: "resume", id: session.id }),
      await scene.ask(branch),
      await scene.ask({ mode: "resume", id: branch.id }),
    ];

    const each = { input: 1_800, output: 100, cacheRead: 200, cacheWrite: 0 };
    expect(replies.map(({ spend }) => spend.tokens)).toEqual([each, each, each, each]);
    const total = replies.reduce((sum, { spend }) => sum + listed(spend), 0);
    expect(total).toBeCloseTo(bill(scene.api.billed), 6);
    await scene.close();
  });

  it("is reported when an answer is complete, while its tools still run", async () => {
    const scene = await codexScene(() => runs("tail -f /dev/null"));
    const { listener, recorder } = witness();
    const asked = cancellation();
    const reported: number[] = [];
    const spending: typeof listener.spending = ({ tokens }) => {
      reported.push(tokens.output);
      asked.spendNow();
    };

    const call = scene.call({ session: fresh() });
    const reply = await scene.backend.invoke(call, asked, { ...listener, spending }, recorder);

    expect(reported).toEqual([50]);
    expect(reply).toMatchObject({ kind: "reply", capped: true, spend: { tokens: { output: 50 } } });
    expect(listed(reply.spend)).toBeCloseTo(bill(scene.api.billed), 6);
    await scene.close();
  });

  it("includes requests whose answers broke off and were repeated by the client", async () => {
    const scene = await codexScene(
      ({ number }) => (number <= 2 ? { kind: "cuts" } : says("Done.")),
      { retries: 2 },
    );

    const { kind, spend } = await scene.ask(fresh());

    expect(kind).toBe("reply");
    expect(spend.tokens).toMatchObject({ input: 2_900, output: 50, cacheRead: 100 });
    expect(listed(spend)).toBeCloseTo(bill(scene.api.billed), 6);
    await scene.close();
  });

  it("includes the request of a call that ended with a broken answer", async () => {
    const scene = await codexScene(() => ({ kind: "cuts" }));

    const reply = await scene.ask(fresh(), { prompt: "x".repeat(400_000) });

    expect(reply).toMatchObject({ class: "outage" });
    expect(reply.spend.tokens.input).toBeGreaterThan(100_000);
    expect(reply.spend.context?.tokens).toBe(reply.spend.tokens.input);
    await scene.close();
  });

  it("includes each answer that the content filter ended", async () => {
    const filtered = { kind: "ends-early", reason: "content_filter", text: "I beg" } as const;
    const scene = await codexScene(({ number }) => (number === 1 ? says("Done.") : filtered), {
      retries: 2,
    });
    const session = fresh();
    await scene.ask(session);

    const reply = await scene.ask({ mode: "resume", id: session.id }, { contextTokens: 1_000 });

    expect(scene.api.requests).toHaveLength(4);
    expect(reply.spend.tokens.output).toBe(3 * 50);
    expect(reply.spend.tokens.input).toBeGreaterThan(3 * 1_000);
    await scene.close();
  });

  it("has no price for an unknown model", async () => {
    const scene = await codexScene(() => says("Done."));

    const { spend } = await scene.ask(fresh(), { model: "mock-1" });

    expect(spend.unreported).toMatchObject([{ model: "mock-1", listMicroUsd: null }]);
    await scene.close();
  });
});

describe("a call", () => {
  it("passes model, effort and prompt, and no option of the prompt's text", async () => {
    const scene = await codexScene(() => says("Done."));

    await scene.ask(fresh(), {
      prompt: "--help\n$(id) `id` @secret",
      effort: "max",
      model: "gpt-5.5",
    });
    await scene.ask(fresh(), { effort: "low", model: "mock-1" });

    expect(scene.api.requests).toMatchObject([
      { model: "gpt-5.5", effort: "xhigh", prompts: ["--help\n$(id) `id` @secret"] },
      { model: "mock-1", effort: "low" },
    ]);
    await scene.close();
  });

  it("offers no subagents, whose usage it could not see, and no web search", async () => {
    const scene = await codexScene(() => says("Done."));

    await scene.ask(fresh(), { model: "mock-1" });

    const [request] = scene.api.requests;
    expect(request?.tools).toContain("exec_command");
    expect(request?.tools.filter((tool) => /agent|web_search/.test(tool))).toEqual([]);
    await scene.close();
  });

  it("reports tools, messages and rejected commands", async () => {
    const scene = await codexScene(({ results }) =>
      results.length > 0
        ? says("Final.")
        : { kind: "runs", command: "rm -f 'a b'", before: "I look first." },
    );
    const { calls, listener, recorder } = witness();

    const call = scene.call({ session: fresh() });
    const reply = await scene.backend.invoke(call, cancellation(), listener, recorder);

    expect(calls).toContain("message I look first.");
    expect(reply).toMatchObject({
      kind: "reply",
      text: "Final.",
      denials: [{ tool: "exec_command", input: "rm -f 'a b'" }],
    });
    await scene.close();
  });

  it("fails with a hint for a prompt that is too long", async () => {
    const scene = await codexScene(() => says("Done."));

    const reply = await scene.ask(fresh(), { prompt: "x".repeat(1_048_577) });

    expect(reply).toMatchObject({
      class: "deterministic",
      session: null,
      message: "The prompt has 1048577 characters. The limit of codex is 1048576 characters.",
    });
    expect(scene.api.requests).toEqual([]);
    await scene.close();
  });

  it("fails for a conversation that does not exist", async () => {
    const scene = await codexScene(() => says("Done."));
    const id = crypto.randomUUID();

    const replies = [
      await scene.ask({ mode: "resume", id }),
      await scene.ask({ mode: "branch", source: id, id: crypto.randomUUID() }),
    ];

    expect(replies).toMatchObject([{ class: "lost-session" }, { class: "lost-session" }]);
    await scene.close();
  });

  it("refuses the id of a session that has started before", async () => {
    const scene = await codexScene(() => says("Done."));
    const session = fresh();
    await scene.ask(session);

    expect(await scene.ask(session)).toMatchObject({ class: "crash", refused: "session-in-use" });
    await scene.close();
  });

  it("starts in the folder of the call, also in a conversation from another one", async () => {
    const scene = await codexScene(working("pwd", "Done."), { files: { "sub/file": "" } });
    const session = fresh();
    await scene.ask(session, { level: "full" });

    await scene.ask(
      { mode: "resume", id: session.id },
      { level: "full", cwd: `${scene.project.dir}/sub` },
    );

    const last = scene.api.requests.at(-1);
    expect(last?.results[0]).toContain(`${scene.project.dir}/sub`);
    await scene.close();
  });
});

describe("a failure of the API", () => {
  const reset = Math.floor(Date.now() / 1_000) + 3 * 86_400;
  const limit = {
    type: "usage_limit_reached",
    message: "Limit.",
    plan_type: "plus",
    resets_at: reset,
  };
  const window = {
    "x-codex-primary-used-percent": "100",
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": String(reset + 7),
  };
  const model = { code: "model_not_found", message: "No such model." };

  it.each<[string, Answer, object]>([
    [
      "a usage limit",
      fails(429, limit),
      { class: "limit", resetsAt: Math.floor(reset / 60) * 60_000 },
    ],
    [
      "a usage limit with its window",
      fails(429, limit, window),
      { class: "limit", resetsAt: (reset + 7) * 1_000 },
    ],
    [
      "an exhausted account",
      fails(429, { type: "insufficient_quota", code: "insufficient_quota", message: "No." }),
      { class: "deterministic", hint: "Check the plan and the credit of the account." },
    ],
    ["too many requests", fails(429, { message: "Slow down." }), { class: "outage" }],
    [
      "a wrong key",
      fails(401, { code: "invalid_api_key", message: "Wrong." }),
      { class: "deterministic", hint: "Run: codex login. Or set CODEX_API_KEY." },
    ],
    ["an error of the server", fails(500, { message: "Boom." }), { class: "outage" }],
    [
      "an overloaded server",
      fails(503, { code: "server_is_overloaded", message: "Full." }),
      { class: "outage" },
    ],
    [
      "an unknown model",
      fails(400, model),
      { class: "deterministic", message: "Model gpt-5.5 not found: No such model." },
    ],
    [
      "a full context",
      { kind: "breaks", code: "context_length_exceeded", message: "Too long." },
      { class: "deterministic" },
    ],
    [
      "the content filter",
      { kind: "ends-early", reason: "content_filter", text: "I beg" },
      {
        class: "deterministic",
        message: expect.stringContaining(
          "The content filter of the provider ended the answer",
        ) as string,
      },
    ],
    [
      "the maximum of output tokens",
      { kind: "ends-early", reason: "max_output_tokens", text: "I beg" },
      {
        class: "deterministic",
        message: expect.stringContaining("cut off at the maximum of output tokens") as string,
      },
    ],
    [
      "another early end",
      { kind: "ends-early", reason: "new_reason", text: "I beg" },
      { class: "deterministic", message: expect.stringContaining("reason: new_reason") as string },
    ],
  ])("%s", async (_, answer, expected) => {
    const scene = await codexScene(() => answer);
    const session = fresh();

    const reply = await scene.ask(session);

    expect(reply).toMatchObject({ kind: "failure", session: session.id, exitCode: 1, ...expected });
    await scene.close();
  });

  it("no connection ends the call, so that raymond can wait", async () => {
    const scene = await codexScene(() => says("Done."));
    await scene.api.close();

    expect(await scene.ask(fresh())).toMatchObject({ class: "outage" });
  });

  it("no key", async () => {
    const scene = await codexScene(() => says("Done."));
    const config = path.join(scene.home, "config.toml");
    const text = await readFile(config, "utf8");
    await writeFile(config, text.replace("MOCK_KEY", "OTHER_KEY"));

    expect(await scene.ask(fresh())).toMatchObject({
      class: "deterministic",
      message: "codex has no key: Missing environment variable: `OTHER_KEY`.",
    });
    await scene.close();
  });
});

/** The watchdog is that of all clients (tests/clients/common/watchdog.test.ts). */
it("ends a silent client", async () => {
  const scene = await codexScene(() => ({ kind: "hangs" }));
  const changes: Partial<Invocation> = { timeoutMs: 4_000 };

  expect(await scene.ask(fresh(), changes)).toMatchObject({
    class: "crash",
    message: "codex printed nothing for 4s and was terminated.",
  });
  await scene.close();
});
