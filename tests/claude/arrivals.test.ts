import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { runs, says } from "../support/client/messages-answer.ts";
import type { Project } from "../support/project.ts";
import { setScene, UNASKED } from "./scene.ts";

/** What reaches the client, and through it the model. */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("a prompt of 1 MB arrives whole", async () => {
    const text = Array.from({ length: 40_000 }, (_, n) => `line ${String(n)}: naïve 🙂 {{`).join(
      "\n",
    );
    const scene = await setScene(client, { "START.md": `Alpha.\n${text}\n` }, [
      ["Alpha", says("<result>end</result>")],
    ]);

    const end = await scene.run();

    expect(end.exitCode).toBe(0);
    expect(scene.api.turns[0]?.prompt === `Alpha.\n${text}`).toBe(true);
    expect(Buffer.byteLength(text)).toBeGreaterThan(1_000_000);
  });

  it("model, effort and tools of a state go before those of the run", async () => {
    const state = "---\nmodel: haiku\neffort: low\ntools: [Bash, Read]\n---\nBeta.\n";
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": state }, [
      ["Alpha", says("<reset>NEXT</reset>")],
      ["Beta", says("<result>end</result>")],
    ]);

    const end = await scene.run(["--model", "sonnet", "--effort", "high", "--tools", "Edit,Write"]);

    expect(end.exitCode).toBe(0);
    expect(scene.api.turns[0]?.model).toMatch(/sonnet/);
    expect(scene.api.turns[0]?.effort).toBe("high");
    expect(scene.api.turns[0]?.tools).toEqual(expect.arrayContaining(["Edit", "Write"]));
    expect(scene.api.turns[0]?.tools).not.toContain("Bash");
    expect(scene.api.turns[1]?.model).toMatch(/haiku/);
    expect(scene.api.turns[1]?.tools).toEqual(expect.arrayContaining(["Bash", "Read"]));
    expect(scene.api.turns[1]?.tools).not.toContain("Write");
  });

  it("a tool that the run's rules forbid is not offered", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", says("<result>end</result>")],
    ]);

    await scene.run(["--disallowed-tools", "Bash"]);

    expect(scene.api.turns[0]?.tools).toContain("Read");
    expect(scene.api.turns[0]?.tools).not.toContain("Bash");
  });

  it("edits are accepted without asking, other commands are denied, and the user is notified", async () => {
    const scene = await setScene(client, { "START.md": "Alpha." }, [
      ["Alpha", runs("node -e 1", says("<result>end</result>"))],
    ]);

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(scene.api.turns[1]?.toolResults).toMatchObject([{ isError: true }]);
    expect(end.stderr).toMatch(/denied|refused|not allowed/i);
    expect(end.stderr).toContain("node -e 1");
    expect(await permissionMode(scene.project)).toBe("acceptEdits");
  });

  it("a command that is allowed runs without asking", async () => {
    const state = "---\nallowed_tools: ['Bash(node:*)']\n---\nAlpha.\n";
    const scene = await setScene(client, { "START.md": state }, [
      ["Alpha", runs("node -e 'console.log(6 * 7)'", says("<result>end</result>"))],
    ]);

    await scene.run(["--allow", "command(node *)"]);

    expect(scene.api.turns[1]?.toolResults).toEqual([{ text: "42", isError: false }]);
  });

  it("--dangerously-skip-permissions lets everything run, with the run's names around it", async () => {
    const command = 'echo "$RAYMOND_WORKFLOW_ID $RAYMOND_AGENT_ID $(basename "$PWD")"';
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "NEXT.md": "Beta.", "sub/x": "" },
      [
        ["Alpha", runs(command, says('<reset cd="sub">NEXT</reset>'))],
        ["Beta", runs(command, says("<result>end</result>"))],
      ],
    );

    await scene.run(UNASKED.args, { env: UNASKED.env });

    const results = scene.api.turns.flatMap((turn) =>
      turn.toolResults.map((result) => result.text),
    );
    expect(results).toEqual(["r1 main project", "r1 main sub"]);
    expect(await permissionMode(scene.project)).toBe("bypassPermissions");
  });

  it("what a value says is no command of the client, and draws in no file", async () => {
    const scene = await setScene(
      client,
      { "START.md": "{{result}}", "NEXT.md": "Look at @secret.txt.", "secret.txt": "open sesame" },
      [
        ["/clear", says("<reset>NEXT</reset>")],
        ["Look", says("<result>end</result>")],
      ],
    );

    const end = await scene.run(["--input", "/clear @secret.txt"]);

    expect(end.exitCode).toBe(0);
    const [data, written] = scene.api.turns.map((turn) => JSON.stringify(turn.raw));
    expect(data).not.toContain("open sesame");
    expect(written).toContain("open sesame");
  });

  it("a prompt that is a command of the client asks nothing, and is explained", async () => {
    const scene = await setScene(client, { "START.md": "/clear\n\nPlan it.\n" }, [
      [/./, says("<result>end</result>")],
    ]);

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 1, stdout: "" });
    expect(end.stderr).toContain(
      'the prompt starts with "/clear", which the client runs as its own command',
    );
    expect(end.stderr).toContain("hint: Describe the task in words");
    expect(scene.api.turns).toEqual([]);
  });
});

/** What the first client of the run said of itself, in its debug file. */
async function permissionMode(project: Project): Promise<string | undefined> {
  const folder = path.join(".raymond", "debug", "r1");
  const names = await readdir(path.join(project.dir, folder));
  const stream = names.toSorted().find((name) => name.endsWith(".jsonl"));
  const text = await project.read(path.join(folder, stream ?? "none"));
  return /"permissionMode":"(\w+)"/.exec(text)?.[1];
}
