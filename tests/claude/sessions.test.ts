import path from "node:path";
import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { fails, says } from "../support/client/messages-answer.ts";
import { prompt, type Scene, STATE_FILE, setScene } from "./scene.ts";

/**
 * Which conversation a step continues (docs/protocol.md, "Effects of tags"),
 * as the API sees it.
 */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("<goto> keeps the conversation, and <reset> begins an empty one", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "NEXT.md": "Beta.", "LAST.md": "Gamma." },
      [
        ["Alpha", says("<goto>NEXT.md</goto>")],
        ["Beta", says("<reset>LAST</reset>")],
        ["Gamma", says("<result>All done.</result>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "All done.\n" });
    expect(conversations(scene)).toEqual([
      [1, ["Alpha."]],
      [1, ["Alpha.", "Beta."]],
      [2, ["Gamma."]],
    ]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("<call> branches, and its <result> wakes a caller that knows only the payload", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": "Alpha.",
        "CHILD.md": "Beta.",
        "CHILD2.md": "Gamma.",
        "BACK.md": "Delta: {{result}}",
      },
      [
        ["Alpha", says('<call return="BACK">CHILD</call>')],
        ["Beta", says("<goto>CHILD2</goto>")],
        ["Gamma", says("<result>found it</result>")],
        ["Delta", says("<result>end</result>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(conversations(scene)).toEqual([
      [1, ["Alpha."]],
      [2, ["Alpha.", "Beta."]],
      [2, ["Alpha.", "Beta.", "Gamma."]],
      [1, ["Alpha.", "Delta: found it"]],
    ]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("<function> begins empty, and its <result> wakes the caller", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "EVAL.md": "Beta.", "BACK.md": "Delta: {{result}}" },
      [
        ["Alpha", says('<function return="BACK">EVAL</function>')],
        ["Beta", says("<result>yes</result>")],
        ["Delta", says("<result>end</result>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(conversations(scene)).toEqual([
      [1, ["Alpha."]],
      [2, ["Beta."]],
      [1, ["Alpha.", "Delta: yes"]],
    ]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("<fork> starts a worker with an empty conversation, and its parent continues", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "NEXT.md": "Beta.", "WORKER.md": "Gamma {{item}}." },
      [
        ["Alpha", says('<fork next="NEXT" item="one">WORKER</fork>')],
        ["Beta", says("<result>parent</result>")],
        ["Gamma", says("<result>worker</result>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "parent\n" });
    expect(scene.api.turns.map((turn) => turn.prompts)).toEqual(
      expect.arrayContaining([["Alpha."], ["Alpha.", "Beta."], ["Gamma one."]]),
    );
    expect(new Set(scene.api.turns.map((turn) => turn.session)).size).toBe(2);
    expect((await scene.document()).results).toEqual({ main: "parent", main_worker1: "worker" });
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("reminds in the same conversation, with a few words and the allowed transitions", async () => {
    const rules = ["{ tag: goto, target: NEXT.md }", "{ tag: result }"];
    const scene = await setScene(
      client,
      { "START.md": prompt("Alpha.", ...rules), "NEXT.md": "Beta." },
      [
        ["Alpha", says("I have finished.")],
        [/./, says("<result>end</result>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const [first, second] = scene.api.turns;
    const reminder = second?.prompt ?? "";
    expect(second).toMatchObject({ session: first?.session, prompts: ["Alpha.", reminder] });
    expect(reminder).toContain("<goto>NEXT.md</goto>");
    expect(reminder).not.toContain("Alpha");
    expect(Buffer.byteLength(reminder)).toBeLessThan(1024);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("finds its conversation again when it is resumed from another folder", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Beta", fails(403), says("<result>end</result>")],
    ]);
    const failed = await scene.run();

    const { project, api } = scene;
    const stateFile = path.join(project.dir, STATE_FILE);
    const end = await raymond(["--resume", stateFile], { project, api, client, cwd: project.home });

    expect(failed.exitCode).toBe(1);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.at(-1)?.prompts[0]).toBe("Alpha.");
  });
});

/** Each request: which session, counted in the order of their first use, and its prompts. */
function conversations({ api }: Scene): readonly (readonly [number, readonly string[]])[] {
  const sessions = [...new Set(api.turns.map((turn) => turn.session))];
  return api.turns.map((turn) => [sessions.indexOf(turn.session) + 1, turn.prompts]);
}
