import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { listCost } from "../../src/clients/claude/list-price.ts";
import { callClient } from "../support/client/client-call.ts";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { answers, fails, runs, says, stalls, uses } from "../support/client/messages-answer.ts";
import { messagesApi } from "../support/client/messages-api.ts";
import { tokens } from "../support/client/messages-wire.ts";
import { tempProject } from "../support/project.ts";
import { until } from "../support/until.ts";
import { prompt, setScene, UNASKED } from "./scene.ts";

const [OLD, NEW] = CLIENT_VERSIONS;

describe.each([
  [OLD, NEW],
  [NEW, OLD],
])("a conversation that goes from %s to %s and back", (first, second) => {
  it("costs what was charged for it", async () => {
    const scene = await setScene(
      first,
      { "START.md": "Alpha.", "TWO.md": "Beta.", "THREE.md": "Gamma.", "FOUR.md": "Delta." },
      [
        ["Alpha", runs("echo hi", says("<goto>TWO</goto>"))],
        ["Beta", fails(403), says('<call return="FOUR">THREE</call>')],
        ["Gamma", says("<result>found</result>", { usage: { cacheRead: 20_000 } })],
        ["Delta", fails(403), says("<result>end</result>")],
      ],
    );

    const one = await scene.run();
    const two = await scene.resume([], { client: second });
    const three = await scene.resume([], { client: first });

    expect([one.exitCode, two.exitCode, three.exitCode]).toEqual([1, 1, 0]);
    expect(three.stdout).toBe("end\n");
    expect(scene.api.charged).toBeGreaterThan(5 * 4500);
    expect(await scene.cost()).toBe(scene.api.charged);
  });
});

describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("a run stops when it exceeds its budget, and continues without repeating steps", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "TWO.md": "Beta.", "THREE.md": "Gamma.", "FOUR.md": "Delta." },
      [
        ["Alpha", says("<goto>TWO</goto>")],
        ["Beta", says("<goto>THREE</goto>")],
        ["Gamma", says("<goto>FOUR</goto>")],
        ["Delta", says("<result>end</result>")],
      ],
    );

    const stopped = await scene.run(["--budget", "0.01"]);
    const between = await scene.document();
    const end = await scene.resume(["--budget", "20"]);

    expect(stopped).toMatchObject({ exitCode: 4, stdout: "" });
    expect(between).toMatchObject({
      status: "budget_exceeded",
      steps: 3,
      agents: [{ id: "main", status: "ready", current_state: "FOUR.md" }],
    });
    expect(Math.round(between.total_cost_usd * 1e6)).toBe(13_500);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.map((turn) => turn.prompt)).toEqual([
      "Alpha.",
      "Beta.",
      "Gamma.",
      "Delta.",
    ]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("a step that reached its cap without a transition continues with a short note", async () => {
    const scene = await setScene(client, { "START.md": prompt("Alpha.", "{ tag: result }") }, [
      ["Alpha", runs("echo 1", runs("echo 2", runs("echo 3", says("never said"))))],
      [/./, says("<result>end</result>")],
    ]);

    const stopped = await scene.run(["--budget", "0.01", ...UNASKED.args], { env: UNASKED.env });
    const end = await scene.resume(["--budget", "20"], { env: UNASKED.env });

    expect(stopped.exitCode).toBe(4);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const last = scene.api.turns.at(-1);
    expect(last?.session).toBe(scene.api.turns[0]?.session);
    expect(last?.prompts.filter((text) => text === "Alpha.")).toHaveLength(1);
    expect(last?.prompt).toContain("<result>");
    expect(Buffer.byteLength(last?.prompt ?? "")).toBeLessThan(1024);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("steps side by side spend from one budget, and are broken off together when it is used up", async () => {
    // Time to stop the client, also under load.
    const slow = { ...DEAR, delayMs: 3_000 };
    const scene = await setScene(
      client,
      {
        "START.sh": "echo '<fork next=\"OTHER\">WORKER</fork>'",
        "OTHER.md": prompt("Alpha.", "{ tag: result }"),
        "WORKER.md": prompt("Beta.", "{ tag: result }"),
      },
      [
        [
          /^(Alpha|Beta)/,
          runs("echo 1", runs("echo 2", runs("echo 3", says("never"), slow), DEAR), DEAR),
        ],
        [/./, says("<result>end</result>")],
      ],
    );

    const stopped = await scene.run(["--budget", "1", ...UNASKED.args], { env: UNASKED.env });
    const between = { charged: scene.api.charged, ...(await scene.spend()) };
    const end = await scene.resume(["--budget", "20"], { env: UNASKED.env });

    expect(stopped.exitCode).toBe(4);
    expect(between.all).toBeGreaterThanOrEqual(1_000_000);
    // No process reported an answer that was in flight when its client was killed.
    expect(between.all).toBeGreaterThanOrEqual(between.charged - 2 * 330_000 - 10);
    // One answer of each, and the rounding of estimates.
    expect(between.all).toBeLessThanOrEqual(1_000_000 + 2 * 330_000);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    for (const word of ["Alpha.", "Beta."]) {
      const asked = scene.api.turns.filter(({ prompts }) => prompts[0] === word);
      expect(asked.at(-1)?.prompts.filter((text) => text === word)).toHaveLength(1);
    }
    const { all } = await scene.spend();
    expect(all).toBeGreaterThanOrEqual(scene.api.charged - 2 * 330_000 - 10);
    expect(all).toBeLessThanOrEqual(scene.api.charged + 2 * 330_000);
  });

  it("an answer that raymond interrupts is never forgotten, and eats nothing of later ones", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "TWO.md": "Beta.", "THREE.md": "Gamma." },
      [
        ["Alpha", says("<goto>TWO</goto>", DEAR)],
        ["Beta", stalls("I begin", { usage: { input: 100_000, output: 1 } })],
        ["interrupted", says("<goto>THREE</goto>", DEAR)],
        ["Gamma", says("<result>end</result>", DEAR)],
      ],
    );
    const running = scene.begin();
    await until("the tokens of the broken answer", async () => {
      const [main] = (await scene.document().catch(() => null))?.agents ?? [];
      const isReported = JSON.stringify(main?.["activity"] ?? {}).includes('"input":100000');
      return isReported && main?.current_state === "TWO.md" ? true : undefined;
    });
    running.kill("SIGINT");
    await running.exit;

    const end = await scene.resume();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.charged).toBe(3 * 330_000);
    const { all } = await scene.spend();
    expect(all).toBeGreaterThanOrEqual(scene.api.charged + 300_000);
    expect(all).toBeLessThanOrEqual(scene.api.charged + 301_000);
  });

  it("what subagents have used is in the sums of tokens", async () => {
    const task = { description: "sub", prompt: "Beta task", subagent_type: "general-purpose" };
    const agentTool = uses("Agent", task, says("<result>end</result>"));
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Beta", says("sub answer", { usage: { input: 7_000 } })],
      [/./, agentTool],
    ]);

    await scene.run();

    const { totals } = await scene.document();
    const turns = scene.api.turns.length;
    expect(totals.tokens.input).toBe((turns - 1) * 1_000 + 7_000);
    expect(await scene.cost()).toBe(scene.api.charged);
  });
});

it.each([
  "claude-opus-5-5",
  "claude-opus-4-6",
  "claude-sonnet-5-5",
  "claude-sonnet-4-5",
  "claude-haiku-5-5",
  "claude-haiku-4-5",
  "claude-fable-5-2",
])("the list price of %s is what the newest client charges", async (model) => {
  const project = await tempProject({});
  const answer = says("hi", { usage: USAGE });
  const api = await messagesApi(answers([[/./, answer]]));
  const args = ["--session-id", randomUUID(), "--model", model];

  const { result } = await callClient("Alpha", { project, client: NEW, api, args });

  const { listMicroUsd } = listCost(model, tokens(USAGE));
  expect((result?.total_cost_usd ?? 0) * 1e6).toBeCloseTo(listMicroUsd ?? 0, 0);
});

/** Above 100,000 tokens of a prompt some models cost more. */
const USAGE = { input: 120_000, output: 1_000, cacheRead: 20_000, cacheWrite: 3_000 } as const;

/** $0.33 an answer. */
const DEAR = { usage: { input: 100_000, output: 2_000 } } as const;
