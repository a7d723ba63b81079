import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { CLIENT_VERSIONS, clientPath } from "../support/client/clients.ts";
import { type Answer, fails, runs, says, uses } from "../support/client/messages-answer.ts";
import { tempFolder } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { prompt, setScene, UNASKED } from "./scene.ts";

/** A program that the client does not allow by default, and that creates a file. */
const touch = (name: string) => `node -e "require('fs').writeFileSync('${name}', '(x), y')"`;

/** One call after the other, then a reply. */
const calls = (commands: readonly string[], reply: Answer | string): Answer =>
  commands.reduceRight<Answer>(
    (then, command) => runs(command, then),
    typeof reply === "string" ? says(reply) : reply,
  );

/** Denied tool calls of the real client (docs/permissions.md, "Denied tool calls"). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  const scene = (first: Answer, later: Answer) =>
    setScene(
      client,
      {
        "START.md": prompt("Alpha.", "{ tag: goto, target: NEXT }"),
        "NEXT.md": prompt("Beta.", "{ tag: result }"),
      },
      [
        ["Beta", calls([touch("b.txt")], "<result>end</result>")],
        [/tool calls/, later],
        [/./, first],
      ],
    );
  const ask = ["--on-denied", "ask"];

  it("continues by default, and lists the denied calls of each state", async () => {
    const of = await scene(calls([touch("a.txt")], "<goto>NEXT</goto>"), says("unused"));
    const end = await of.run(["--json"]);
    expect(end.exitCode).toBe(0);
    const events = end.stdout.trim().split("\n");
    expect(JSON.parse(events.at(-1) ?? "")).toMatchObject({
      type: "run.ended",
      denied: [
        { state: "START.md", tool: "Bash", input: touch("a.txt"), count: 1 },
        { state: "NEXT.md", tool: "Bash", input: touch("b.txt"), count: 1 },
      ],
    });
    expect((await of.raymond("status", "r1")).stdout).toContain("START.md  Bash  node -e");
    expect(existsSync(path.join(of.project.dir, "a.txt"))).toBe(false);
  });

  it("prints a flag that allows the calls", async () => {
    const outside = path.join(await tempFolder(), "out.md");
    const made = (then: Answer) =>
      runs("node make.js", uses("Write", { file_path: outside, content: "x" }, then));
    const of = await setScene(
      client,
      {
        "START.md": "Alpha.",
        "make.js": "require('fs').writeFileSync('made.txt', '')",
      },
      [[/./, made(says("<result>end</result>"))]],
    );
    const { stderr } = await of.run();
    const flag = /to allow them: --allow '(?<items>.*)'$/m.exec(stderr)?.groups?.["items"] ?? "";
    expect(flag).toBe(`command(node make.js),write(${outside})`);
    expect(existsSync(outside)).toBe(false);

    const again = await of.run(["--workflow-id", "r2", "--allow", flag]);

    expect(again.stderr).not.toContain("denied");
    expect([existsSync(outside), await of.project.list(".")]).toEqual([
      true,
      expect.arrayContaining(["made.txt"]),
    ]);
  });

  it("runs the allowed command, and no other one", async () => {
    const others = [
      `${touch("a.txt")} more`,
      touch("c.txt"),
      `${touch("c.txt")}; ${touch("a.txt")}`,
    ];
    const of = await scene(
      calls([touch("a.txt")], "<goto>NEXT</goto>"),
      calls([touch("a.txt"), ...others], "<goto>NEXT</goto>"),
    );
    expect((await of.run(ask)).exitCode).toBe(3);
    expect(existsSync(path.join(of.project.dir, "a.txt"))).toBe(false);

    await of.raymond("answer", "r1", "allow once");
    const asked = await of.resume();
    expect(asked.exitCode).toBe(3);
    expect(existsSync(path.join(of.project.dir, "a.txt"))).toBe(true);
    expect(existsSync(path.join(of.project.dir, "c.txt"))).toBe(false);
    expect(asked.stderr).toContain("allow 3 denied tool calls?");

    await of.raymond("answer", "r1", "deny");
    const again = await of.resume();
    // START.md tries the same calls: a.txt was allowed once only, the others were denied.
    expect(again.exitCode).toBe(3);
    expect(again.stderr).toContain("allow 1 denied tool call?");
    expect(new Set(of.api.turns.map(({ session }) => session)).size).toBe(1);
  });

  it("allows a call for all later steps of the run", async () => {
    const of = await scene(
      calls([touch("b.txt")], "<goto>NEXT</goto>"),
      calls([touch("b.txt")], "<goto>NEXT</goto>"),
    );
    await of.run(ask);
    await of.raymond("answer", "r1", "allow for this run");
    expect(await of.resume()).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(existsSync(path.join(of.project.dir, "b.txt"))).toBe(true);
  });

  it("allows a file outside of the folder, and nothing beside or below it", async () => {
    const outside = await tempFolder();
    const write = (name: string, then: Answer) =>
      uses("Write", { file_path: path.join(outside, name), content: "x" }, then);
    const of = await scene(
      write("one (1).md", says("<goto>NEXT</goto>")),
      write("one (1).md", write("two.md", write("one (1).md/x", says("<goto>NEXT</goto>")))),
    );
    await of.run(ask);
    await of.raymond("answer", "r1", "allow for this run");
    const { stderr } = await of.resume();
    expect(existsSync(path.join(outside, "one (1).md"))).toBe(true);
    expect(existsSync(path.join(outside, "two.md"))).toBe(false);
    expect(stderr).toContain("- Write: ");
  });

  it("asks after kill -9, also if the client ended without raymond", async () => {
    const of = await scene(
      calls([touch("a.txt")], says("<goto>NEXT</goto>", { delayMs: 2_000 })),
      calls([touch("a.txt")], says("<goto>NEXT</goto>")),
    );
    const running = of.begin(ask);
    await of.api.arrival(({ toolResults }) => toolResults.length > 0);
    running.kill("SIGKILL");
    await running.exit;
    await until("the client to end", async () =>
      (await of.project.orphans()).length === 0 ? true : undefined,
    );

    const asked = await of.resume();
    expect(asked.exitCode).toBe(3);
    expect(asked.stderr).toContain("allow 1 denied tool call?");
    await of.raymond("answer", "r1", "allow once");
    await of.resume();
    expect(existsSync(path.join(of.project.dir, "a.txt"))).toBe(true);
  });

  it("counts files that deny and the protection of the workflow deny", async () => {
    const of = await setScene(
      client,
      { "wf/START.md": "Alpha.", ".env": "KEY=1\n" },
      [
        [
          /./,
          uses(
            "Read",
            { file_path: ".env" },
            uses("Write", { file_path: "wf/NEW.sh", content: "x" }, says("<result>end</result>")),
          ),
        ],
      ],
      "wf",
    );
    const end = await of.run(["--deny", "read(.env)", "--on-denied", "fail"]);
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain("2 tool calls were denied");
    expect((await of.raymond("status", "r1")).stdout).toMatch(/Read +\S*\.env/);
  });

  it("fails the step with the calls, and continues the conversation on resume", async () => {
    const of = await scene(calls([touch("a.txt")], "<goto>NEXT</goto>"), says("<goto>NEXT</goto>"));
    const failed = await of.run(["--on-denied", "fail"]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("1 tool call was denied");
    expect(failed.stderr).toContain("hint: Allow them");

    await of.resume(["--on-denied", "continue"]);
    const [first, second] = of.api.turns.filter(({ toolResults }) => toolResults.length === 0);
    expect(second?.session).toBe(first?.session);
    expect(second?.prompts).toHaveLength(2);
  });
});

/** Limits of one call, and work in the background (docs/claude.md, "Timeouts"). */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("fails a step that has used up its turns, without a retry", async () => {
    const of = await setScene(client, { "START.md": "---\nmax_turns: 1\n---\nAlpha." }, [
      [/./, runs("ls", runs("pwd", says("<result>end</result>")))],
    ]);
    const end = await of.run();
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain("START.md has reached its max_turns: 1 turn.");
    expect(of.api.turns).toHaveLength(1);
  });

  it("counts the cost of the fallback model under its name", async () => {
    const of = await setScene(client, { "START.md": "Alpha." }, [
      [
        ({ model }) => model.includes("sonnet"),
        fails(529, "Overloaded", { "x-should-retry": "true" }),
      ],
      [/./, says("<result>end</result>")],
    ]);
    const env = { CLAUDE_CODE_MAX_RETRIES: "5" };
    const end = await of.run(["--fallback-model", "claude-haiku-4-5"], { env });
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).toContain("switched to claude-haiku-4-5");
    expect(await of.cost()).toBe(of.api.charged);
    const { sums } = await of.document();
    expect(Object.keys(sums["models"] as object)).toEqual(["claude-haiku-4-5"]);
  });

  it("waits for a subagent in the background longer than for a silent model", async () => {
    const subagent = { description: "x", prompt: "Sub.", subagent_type: "general-purpose" };
    const of = await setScene(client, { "START.md": "Alpha." }, [
      ["Sub.", says("sub done", { delayMs: 30_000 })],
      [
        "Alpha",
        uses("Agent", { ...subagent, run_in_background: true }, says("<result>end</result>")),
      ],
      [/./, says("<result>end</result>")],
    ]);
    const { env } = UNASKED;
    const end = await of.run([...UNASKED.args, "--timeout", "20s", "--tool-timeout", "120s"], {
      env,
    });
    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).not.toContain("terminated");
  });

  it("is found by doctor if its -p is --bare", async () => {
    const of = await setScene(client, { "START.md": "Alpha." }, []);
    const doctor = (env: Readonly<Record<string, string>>) =>
      raymond(["doctor"], {
        project: of.project,
        env: { RAYMOND_CLAUDE: clientPath(client), ANTHROPIC_API_KEY: "test", ...env },
      });
    const full = await doctor({});
    expect(full.stdout).toContain("tested with raymond");
    expect(full.stdout).not.toContain("--bare");
    expect((await doctor({ CLAUDE_CODE_SIMPLE: "1" })).stdout).toContain(
      "Unset CLAUDE_CODE_SIMPLE.",
    );
    expect(of.api.turns).toEqual([]);
  });
});
