import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { runs, says } from "../support/client/messages-answer.ts";
import { prompt, setScene, UNASKED } from "./scene.ts";

const FILES = { "START.md": prompt("Alpha.", "{ tag: result }") };
const env = { ...UNASKED.env, UNRELATED_TOKEN: "unrelated-value", PASSED_TOKEN: "passed-value" };
const PRINT = 'echo "$UNRELATED_TOKEN|$PASSED_TOKEN|$HOME" > seen.txt; echo "$PASSED_TOKEN"';

/** docs/environment.md, "Rules" and "Secrets". */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("the login arrives, variables that are not passed do not, and a printed secret is in no file", async () => {
    const answer = runs(PRINT, says("It is passed-value. <result>passed-value</result>"));
    const scene = await setScene(client, FILES, [["Alpha", answer]]);
    const flags = ["--env-pass", "PASSED_*", "--env-secret", "PASSED_TOKEN"];

    const end = await scene.run([...UNASKED.args, ...flags], { env });

    expect(end).toMatchObject({ exitCode: 0, stdout: "***PASSED_TOKEN***\n" });
    expect(await scene.project.read("seen.txt")).toBe(`|passed-value|${scene.project.home}\n`);
    const files = await scene.project.list(".raymond");
    expect(files.filter((file) => file.includes("transcripts"))).not.toEqual([]);
    for (const file of files)
      expect(await scene.project.read(file), file).not.toContain("passed-value");
    expect(end.stderr).not.toContain("passed-value");
  });

  it("printed credentials and secrets are in no file and no output of raymond, but in those of the model", async () => {
    const key = "sk-ant-printed-credential";
    const print = 'echo "$ANTHROPIC_API_KEY $PASSED_TOKEN" | tee seen.txt';
    const tag = `<result>${key} passed-value</result>`;
    const scene = await setScene(client, FILES, [
      ["Alpha", runs(print, says(`It is ${key}. ${tag}`))],
    ]);
    const flags = ["--env-pass", "PASSED_*", "--env-secret", "PASSED_TOKEN", "--verbose"];

    const end = await scene.run([...UNASKED.args, ...flags], {
      env: { ...env, ANTHROPIC_API_KEY: key },
    });
    const { project } = scene;
    await scene.raymond("report", "r1", "--output", "report.html");
    const shown = await Promise.all([
      scene.raymond("show", "r1", "--json"),
      scene.raymond("logs", "r1"),
      scene.raymond("status", "r1", "--json"),
    ]);

    expect(end.exitCode).toBe(0);
    expect(await project.read("seen.txt")).toBe(`${key} passed-value\n`);
    const outputs = [end, ...shown].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const own = await filesBelow(path.dirname(project.dir));
    // The client keeps its conversations itself, and the model has written seen.txt.
    const theirs = /\/home\/\.claude|\/project\/seen\.txt$/;
    const written = own.filter((file) => !theirs.test(file));
    expect(written.length).toBeGreaterThan(8);
    for (const file of written) outputs.push(await readFile(file, "utf8"));
    for (const text of outputs) {
      expect(text).not.toContain(key);
      expect(text).not.toContain("passed-value");
    }
  });

  it("a conversation continues that was restored from a redacted copy", async () => {
    const files = {
      "START.md": prompt("Alpha.", "{ tag: goto, target: NEXT }"),
      "NEXT.md": prompt("Beta.", "{ tag: result }"),
    };
    const scene = await setScene(client, files, [
      ["Beta", says("<result>done</result>")],
      ["Alpha", runs(PRINT, says("<goto>NEXT</goto>"))],
    ]);
    const flags = ["--env-pass", "PASSED_*", "--env-secret", "PASSED_TOKEN", "--max-steps", "1"];
    await scene.run([...UNASKED.args, ...flags], { env });
    await rm(path.join(scene.project.home, ".claude", "projects"), { recursive: true });

    const end = await scene.resume(["--max-steps", "9"], { env });

    expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(end.stderr).toContain("restored");
    expect(scene.api.turns.at(-1)?.prompts).toContain("Beta.");
    for (const file of await scene.project.list(".raymond"))
      expect(await scene.project.read(file), file).not.toContain("passed-value");
  });
});

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => path.join(entry.parentPath, entry.name));
}
