import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { runs, says, stalls } from "../support/client/messages-answer.ts";
import { type Scene, setScene, UNASKED } from "./scene.ts";

/**
 * A rerun (docs/history.md, "Reruns"): the API receives the history up to its start, and nothing after it.
 */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("one step is made again by an edited prompt, in a copy of its conversation that is cut there", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "NEXT.md": "Beta.", "LAST.md": "Gamma." },
      [
        ["Alpha", says("<goto>NEXT</goto>")],
        ["Beta", runs("echo noted", says("<goto>LAST</goto>"))],
        ["Better", says("<goto>LAST</goto>")],
        ["Gamma", says("<result>end</result>")],
      ],
    );
    await scene.run(UNASKED.args, { env: UNASKED.env });
    const before = await conversations(scene);
    const [old] = scene.api.turns;
    const [turnsBefore, charged] = [scene.api.turns.length, scene.api.charged];
    await scene.project.write("NEXT.md", "Better.");

    const end = await rerun(scene, ["NEXT", "--no-dangerously-skip-permissions"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const turns = scene.api.turns.slice(turnsBefore);
    expect(turns.map(({ prompts }) => prompts)).toEqual([
      ["Alpha.", "Better."],
      ["Alpha.", "Better.", "Gamma."],
    ]);
    expect(JSON.stringify(turns)).not.toMatch(/Beta|noted/);
    expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
    expect(turns[0]?.session).not.toBe(old?.session);
    // The conversation of the old run is as it was, and so is the run's copy of it.
    expect(await conversations(scene)).toMatchObject(before);
    const made = await scene.project.run("r2");
    expect(Math.round(made.total_cost_usd * 1e6)).toBe(scene.api.charged - charged);
  });

  it("a called step runs in a branch of the caller's conversation of that time, and returns to it", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": "Alpha.",
        "CHILD.md": "Beta.",
        "BACK.md": "Delta: {{result}}",
        "LAST.md": "Epsilon.",
      },
      [
        ["Alpha", says('<call return="BACK">CHILD</call>')],
        ["Beta", says("<result>found</result>")],
        ["Delta", says("<goto>LAST</goto>")],
        ["Epsilon", says("<result>end</result>")],
      ],
    );
    await scene.run();
    const [made, charged] = [scene.api.turns.length, scene.api.charged];

    const end = await rerun(scene, ["2"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.slice(made).map(({ prompts }) => prompts)).toEqual([
      ["Alpha.", "Beta."],
      ["Alpha.", "Delta: found"],
      ["Alpha.", "Delta: found", "Epsilon."],
    ]);
    const { total_cost_usd } = await scene.project.run("r2");
    expect(Math.round(total_cost_usd * 1e6)).toBe(scene.api.charged - charged);
  });

  it("a step that was killed and continued is started again from the conversation before it", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Beta", stalls("I have beg", { pieces: 1 }), says("<result>end</result>")],
      [/interrupted/, says("<result>continued</result>")],
    ]);
    const running = scene.begin();
    await scene.api.arrival(({ prompt }) => prompt === "Beta.");
    await running.waitForStderr(/NEXT\.md/);
    running.kill("SIGKILL");
    await running.exit;
    await scene.resume();
    const made = scene.api.turns.length;

    const end = await rerun(scene, ["2"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.slice(made).map(({ prompts }) => prompts)).toEqual([
      ["Alpha.", "Beta."],
    ]);
  });

  it("what the client has swept comes from the run's copy; and where that is gone too, the rerun is refused", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Beta", says("<result>end</result>")],
    ]);
    await scene.run();
    await rm(projects(scene), { recursive: true });
    const made = scene.api.turns.length;

    const end = await rerun(scene, ["NEXT"]);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.slice(made).map(({ prompts }) => prompts)).toEqual([
      ["Alpha.", "Beta."],
    ]);

    await rm(projects(scene), { recursive: true });
    await rm(path.join(scene.project.dir, ".raymond/runs/r1/transcripts"), { recursive: true });
    const refused = await rerun(scene, ["NEXT"], "r3");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/Conversation [0-9a-f-]+ of agent main is gone/);
    expect(await readdir(path.join(scene.project.dir, ".raymond/runs"))).toEqual(["r1", "r2"]);
  });
});

function rerun(scene: Scene, words: readonly string[], id = "r2") {
  return scene.raymond("rerun", "r1", "--workflow-id", id, ...words);
}

function projects({ project }: Scene): string {
  return path.join(project.home, ".claude", "projects");
}

/** The transcripts that the client has, and the run's copies, by their names. */
async function conversations(scene: Scene): Promise<Readonly<Record<string, string>>> {
  const folders = [projects(scene), path.join(scene.project.dir, ".raymond/runs/r1/transcripts")];
  const found: Record<string, string> = {};
  for (const folder of folders) {
    for (const name of await readdir(folder, { recursive: true })) {
      if (name.endsWith(".jsonl")) found[name] = await readFile(path.join(folder, name), "utf8");
    }
  }
  return found;
}
