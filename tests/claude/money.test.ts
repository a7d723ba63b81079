import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/clients.ts";
import { fails, runs, says } from "../support/messages-answer.ts";
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
  it("a run stops when it is over its budget, and goes on without repeating", async () => {
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

  it("a step that reached its cap without a transition goes on by a short note", async () => {
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

  it("a step that reached its share gets another one while budget is left", async () => {
    const dear = { usage: { output: 20_000 } };
    const scene = await setScene(
      client,
      {
        "START.md": "Alpha.",
        "NEXT.md": prompt("Beta.", "{ tag: result }"),
        "WORKER.md": "Gamma.",
      },
      [
        ["Alpha", says('<fork next="NEXT">WORKER</fork>')],
        ["Beta", runs("echo 1", runs("echo 2", says("never said"), dear), dear)],
        ["Gamma", says("<result>worker</result>")],
        [/./, says("<result>end</result>")],
      ],
    );

    const end = await scene.run(["--budget", "1.10", ...UNASKED.args], { env: UNASKED.env });

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const note = scene.api.turns.find(
      (turn) => turn.prompts.includes("Beta.") && turn.prompt !== "Beta.",
    );
    expect(note?.prompts.filter((text) => text === "Beta.")).toHaveLength(1);
    expect(await scene.cost()).toBe(scene.api.charged);
  });
});
