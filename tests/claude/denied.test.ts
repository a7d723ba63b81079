import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { type Answer, runs, says, uses } from "../support/client/messages-answer.ts";
import { tempFolder } from "../support/folders.ts";
import { prompt, setScene } from "./scene.ts";

/** A program that the client does not allow by default, and that creates a file. */
const touch = (name: string) => `node -e "require('fs').writeFileSync('${name}', '(x), y')"`;

/** One call after the other, then a reply. */
const calls = (commands: readonly string[], reply: string): Answer =>
  commands.reduceRight<Answer>((then, command) => runs(command, then), says(reply));

/** Denied tool calls of the real client (docs/security.md, "Denied tool calls"). */
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
