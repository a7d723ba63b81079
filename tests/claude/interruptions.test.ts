import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { runs, says, stalls } from "../support/client/messages-answer.ts";
import type { Turn } from "../support/client/messages-turn.ts";
import { killMarked } from "../support/process/leaks.ts";
import { prompt, type Scene, STATE_FILE, setScene, UNASKED } from "./scene.ts";

/** A command that reports its start and never ends. */
const ENDLESS = "echo started > started; tail -f /dev/null";
const END = says("<result>end</result>");
const ALPHA = { "START.md": prompt("Alpha.", "{ tag: result }") };

/** An interrupted run continues in its conversation (docs/durability.md, "How it works"). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s while a tool runs leaves nothing behind, and a resume finishes",
    async (signal, code) => {
      const scene = await setScene(client, ALPHA, [
        ["Alpha", runs(ENDLESS, END)],
        [/./, END],
      ]);
      const running = scene.begin(UNASKED.args, { env: UNASKED.env });
      await scene.project.fileWith("started");

      running.kill(signal);
      const stopped = await running.exit;
      const left = await scene.project.orphans();
      const between = await scene.document();
      const end = await scene.resume([], { env: UNASKED.env });

      expect(stopped).toMatchObject({ exitCode: code, stdout: "" });
      expect(stopped.stderr).toContain("raymond resume r1");
      expect(left).toEqual([]);
      expect(between).toMatchObject({ status: "interrupted", agents: [{ id: "main" }] });
      expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
      expectContinued(scene, "Alpha.");
    },
  );

  it("SIGINT before the API has answered: the prompt does not stand in the conversation twice", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Beta", { kind: "hang" }, END],
      [/./, END],
    ]);
    const running = scene.begin();
    await scene.api.arrival((turn) => turn.prompt === "Beta.");
    running.kill("SIGINT");
    const stopped = await running.exit;

    const end = await scene.resume();

    expect(stopped.exitCode).toBe(130);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const { prompts = [] } = scene.api.turns.at(-1) ?? {};
    expect(prompts.filter((text) => text === "Beta.")).toHaveLength(1);
  });

  it("SIGKILL in the middle of an answer: the conversation continues with a short note", async () => {
    const scene = await setScene(client, ALPHA, [
      ["Alpha", stalls("It begins, and then")],
      [/./, END],
    ]);
    const running = scene.begin();
    await accepted(scene);

    running.kill("SIGKILL");
    await running.exit;
    const end = await scene.resume();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns).toHaveLength(2);
    expectContinued(scene, "Alpha.");
  });

  it("SIGKILL while a tool runs: the tool is terminated, the conversation continues", async () => {
    const scene = await setScene(client, ALPHA, [
      ["Alpha", runs(ENDLESS, END)],
      [/./, END],
    ]);
    const running = scene.begin(UNASKED.args, { env: UNASKED.env });
    await scene.project.fileWith("started");

    running.kill("SIGKILL");
    await running.exit;
    const orphans = await scene.project.orphans();
    const end = await scene.resume([], { env: UNASKED.env });

    expect(orphans).not.toEqual([]);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(await scene.project.orphans()).toEqual([]);
    expectContinued(scene, "Alpha.");
  });

  it("SIGKILL right after the start of the step: its prompt is in the conversation, sent again or not", async () => {
    // A fast client already has it in its conversation, and is asked to continue.
    const scene = await setScene(client, ALPHA, [
      ["Alpha", END],
      [/./, END],
    ]);
    const running = scene.begin();
    await scene.project.fileWith(STATE_FILE, (text) => text.includes('"type": "running"'));

    running.kill("SIGKILL");
    await running.exit;
    const end = await scene.resume();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.at(-1)?.prompts[0]).toBe("Alpha.");
  });

  it("a client that was killed before it wrote anything down: the whole prompt is sent again", async () => {
    const scene = await setScene(client, ALPHA, [["Alpha", stalls("It begins, and then"), END]]);
    const running = scene.begin();
    await accepted(scene);

    running.kill("SIGKILL");
    await running.exit;
    killMarked(await scene.project.orphans());
    const written = path.join(scene.project.home, ".claude", "projects");
    await rm(written, { recursive: true, force: true });
    const end = await scene.resume();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.map((turn) => turn.prompts)).toEqual([["Alpha."], ["Alpha."]]);
  });

  it("SIGKILL in a called state: the branch continues, and the caller's conversation is unchanged", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": "Alpha.",
        "CHILD.md": prompt("Beta.", "{ tag: result }"),
        "BACK.md": "Delta: {{result}}",
      },
      [
        ["Alpha", says('<call return="BACK">CHILD</call>')],
        ["Beta", stalls("It begins, and then")],
        ["Delta", END],
        [/./, says("<result>found it</result>")],
      ],
    );
    const running = scene.begin();
    await scene.api.arrival((turn) => turn.prompt === "Beta.");
    await accepted(scene);

    running.kill("SIGKILL");
    await running.exit;
    const end = await scene.resume();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const [alpha, ...rest] = scene.api.turns;
    const delta = rest.at(-1);
    expect(delta).toMatchObject({
      session: alpha?.session,
      prompts: ["Alpha.", "Delta: found it"],
    });
    const branches = rest.slice(0, -1);
    expect(branches.length).toBeGreaterThan(1);
    for (const turn of branches) expect(turn.session).not.toBe(alpha?.session);
    expect(branches.at(-1)?.prompts.slice(0, 2)).toEqual(["Alpha.", "Beta."]);
  });
});

/** Resolves once the state file says that the client took the prompt. */
async function accepted(scene: Scene): Promise<void> {
  await scene.project.fileWith(STATE_FILE, (text) => text.includes('"accepted": true'));
}

/** The last request continues the first one's conversation: not the prompt again, but a note. */
function expectContinued(scene: Scene, sent: string): void {
  const first: Turn | undefined = scene.api.turns[0];
  const last: Turn | undefined = scene.api.turns.at(-1);
  expect(last?.session).toBe(first?.session);
  expect(last?.prompts.filter((text) => text === sent)).toHaveLength(1);
  expect(last?.prompt).not.toContain(sent);
  expect(last?.prompt).toContain("<result>");
  expect(Buffer.byteLength(last?.prompt ?? "")).toBeLessThan(1024);
}
