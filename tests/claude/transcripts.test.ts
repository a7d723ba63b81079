import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { runs, says } from "../support/client/messages-answer.ts";
import { type Scene, setScene, UNASKED } from "./scene.ts";

/** It ends when there is a file `go`. */
const LONG = "echo >started; until [ -e go ]; do sleep 0.1; done";

/**
 * A conversation that the client has tidied away, as it does after 30 days
 * (docs/claude.md, "Conversations").
 */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("a conversation that was deleted between two steps is restored, and continues", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Beta", says("<result>end</result>")],
    ]);
    const paused = await scene.run(["--max-steps", "1"]);
    const [file] = await transcripts(scene);
    const swept = await read(scene, file);
    const kept = await readFile(path.join(copies(scene), path.basename(file ?? "")), "utf8");
    await sweep(scene);

    const end = await scene.resume(["--max-steps", "9"]);

    expect(paused.exitCode).toBe(4);
    expect(kept === swept).toBe(true);
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).toContain("restored");
    expect(scene.api.turns.at(-1)?.prompts).toEqual(["Alpha.", "Beta."]);
    // It lies where the client looks for it, and what was added is kept as well.
    expect(await transcripts(scene)).toEqual([file]);
    const whole = await read(scene, file);
    expect(whole.startsWith(swept)).toBe(true);
    expect(await readFile(path.join(copies(scene), path.basename(file ?? "")), "utf8")).toBe(whole);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("so is one that was truncated before the end of its first prompt", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Beta", says("<result>end</result>")],
    ]);
    await scene.run(["--max-steps", "1"]);
    const [file = ""] = await transcripts(scene);
    const whole = await read(scene, file);
    const torn = whole.slice(0, whole.indexOf('"type":"user"') + 20);
    await writeFile(path.join(clientFiles(scene), file), torn);

    const end = await scene.resume(["--max-steps", "9"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.at(-1)?.prompts).toEqual(["Alpha.", "Beta."]);
  });

  it("so is one that is about to be branched, and one that waits for its callee", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "CHILD.md": "Beta.", "BACK.md": "Gamma: {{result}}" },
      [
        ["Alpha", says('<call return="BACK">CHILD</call>')],
        ["Beta", says("<result>found</result>")],
        ["Gamma", says("<result>end</result>")],
      ],
    );
    await scene.run(["--max-steps", "1"]);
    await sweep(scene);
    await scene.resume(["--max-steps", "2"]);
    await sweep(scene);

    const end = await scene.resume(["--max-steps", "9"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.map((turn) => turn.prompts)).toEqual([
      ["Alpha."],
      ["Alpha.", "Beta."],
      ["Alpha.", "Gamma: found"],
    ]);
  });

  it("so is a caller's that is swept while a step of its callee runs", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "CHILD.md": "Beta.", "BACK.md": "Gamma: {{result}}" },
      [
        ["Alpha", says('<call return="BACK">CHILD</call>')],
        ["Beta", runs(LONG, says("<result>found</result>"))],
        ["Gamma", says("<result>end</result>")],
      ],
    );
    const running = scene.begin(UNASKED.args, { env: UNASKED.env });
    await scene.project.fileWith("started");
    await sweep(scene);
    await scene.project.write("go", "");

    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.at(-1)?.prompts).toEqual(["Alpha.", "Gamma: found"]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("one that is deleted while its own step runs is a lost one, and its copy is kept", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "NEXT.md": "Beta.", "LAST.md": "Gamma." },
      [
        ["Alpha", says("<goto>NEXT</goto>")],
        ["Beta", runs(LONG, says("<goto>LAST</goto>"))],
        ["Gamma", says("<result>end</result>")],
      ],
    );
    const running = scene.begin(UNASKED.args, { env: UNASKED.env });
    await scene.project.fileWith("started");
    const session = (await scene.document()).agents[0]?.session_id ?? "none";
    await sweep(scene);
    await scene.project.write("go", "");

    const failed = await running.exit;
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      `Conversation ${session} was deleted or truncated while this step`,
    );
    expect((await scene.document()).stop_reason).toMatchObject({ class: "lost-session" });
    expect(scene.api.turns.map(({ prompt }) => prompt)).not.toContain("Gamma.");
    const kept = await readFile(path.join(copies(scene), `${session}.jsonl`), "utf8");
    expect([kept.includes("Alpha."), kept.includes("Beta.")]).toEqual([true, false]);

    const end = await scene.resume(["--lost-session", "fresh"], { env: UNASKED.env });
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.at(-1)?.prompts).toEqual(["Gamma."]);
  });

  it("the output that a message only names is put back with it", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", runs("seq 1 40000", says("<goto>NEXT</goto>"))],
      ["Beta", says("<result>end</result>")],
    ]);
    await scene.run([...UNASKED.args, "--max-steps", "1"], { env: UNASKED.env });
    const [output] = await files(scene, /tool-results/);
    await sweep(scene);

    const end = await scene.resume(["--max-steps", "9"], { env: UNASKED.env });

    expect(end.exitCode).toBe(0);
    expect(output).toBeDefined();
    expect(await read(scene, output)).toContain("\n40000\n");
  });

  it("where the copy is gone as well, the agent fails and names what was lost, until it may forget", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Beta", says("<result>end</result>")],
    ]);
    await scene.run(["--max-steps", "1"]);
    const session = (await scene.document()).agents[0]?.session_id ?? "none";
    await sweep(scene);
    await rm(copies(scene), { recursive: true });

    const failed = await scene.resume(["--max-steps", "9"]);
    const document = await scene.document();
    const end = await scene.resume(["--lost-session", "fresh"]);

    expect(failed.exitCode).toBe(1);
    expect(document.stop_reason).toMatchObject({ class: "lost-session" });
    expect(document.stop_reason?.message).toContain(session);
    expect(failed.stderr).toContain("--lost-session fresh");
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns.at(-1)?.prompts).toEqual(["Beta."]);
  });
});

function copies({ project }: Scene): string {
  return path.join(project.dir, ".raymond", "runs", "r1", "transcripts");
}

function clientFiles({ project }: Scene): string {
  return path.join(project.home, ".claude", "projects");
}

/** The client's files that match, relative to its folder of projects. */
async function files(scene: Scene, pattern: RegExp): Promise<readonly string[]> {
  const names = await readdir(clientFiles(scene), { recursive: true });
  return names.filter((name) => pattern.test(name) && /\.\w+$/.test(name)).sort();
}

/** The conversations that the client has. */
function transcripts(scene: Scene): Promise<readonly string[]> {
  return files(scene, /^[^/]+\/[^/]+\.jsonl$/);
}

function read(scene: Scene, file: string | undefined): Promise<string> {
  return readFile(path.join(clientFiles(scene), file ?? "none"), "utf8");
}

/** What the client does to conversations that are 30 days old. */
async function sweep(scene: Scene): Promise<void> {
  // A client that runs may write a file there meanwhile.
  await rm(clientFiles(scene), { recursive: true, maxRetries: 40, retryDelay: 25 });
}
