import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/parse/tree.ts";
import { tempFolder } from "../support/folders.ts";
import { testShell } from "../support/test-shell.ts";

const SAMPLES = path.join(import.meta.dirname, "../../workflows");

describe("raymond explain", () => {
  it("describes each state, with the settings of a run here", async () => {
    const shell = testShell(path.join(SAMPLES, "review-gate"), { RAYMOND_MODEL: "opus" });

    await runCommandLine(["node", "raymond", "explain"], shell);

    expect(shell.stdout()).toMatch(/^review-gate: Continues only when the tests pass/);
    expect(shell.stdout()).toContain(
      "\nIMPLEMENT, a prompt\n  runs       The model opus answers it.\n",
    );
    expect(shell.stdout()).toMatch(/and can reach \d+ prompts and \d+ scripts\./);
  });

  it("prints JSON", async () => {
    const shell = testShell(SAMPLES);

    await runCommandLine(["node", "raymond", "explain", "tour", "--json"], shell);

    expect(JSON.parse(shell.stdout())).toMatchObject({
      ...{
        workflow: "tour",
        description: null,
        about: [/1_START/, /at most/].map(() => expect.any(String) as unknown),
      },
      states: expect.arrayContaining([
        expect.objectContaining({ state: "1_START.sh", kind: "script" }),
      ]) as unknown,
    });
  });

  it("explains entered workflows, and includes their cost", async () => {
    const cwd = await tempFolder();
    const call = (path: string) =>
      `echo '<function-workflow return="END">${path}</function-workflow>'\n`;
    const files = {
      "flows/main/START.sh": call("../review"),
      "flows/main/END.sh": "echo '<result>x</result>'\n",
      "flows/review/START.sh": call("../judge.yaml"),
      "flows/review/END.sh": call("../main"),
      "flows/judge.yaml":
        "states:\n  START:\n    budget: 2\n    prompt: End with <result>x</result>\n",
    };
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(cwd, file)), { recursive: true });
      await writeFile(path.join(cwd, file), text);
    }
    const shell = testShell(cwd);

    await runCommandLine(["node", "raymond", "explain", "flows/main"], shell);

    const said = shell.stdout();
    expect(said).toContain(
      "A run starts at START and can reach 1 prompt and 4 scripts, of which 1 prompt and 2 scripts are in other workflows.",
    );
    expect(said).toContain("It costs at most $2.00, the total budget of its prompts");
    expect(said.match(/^workflow .*$/gm)).toEqual(["workflow review", "workflow judge.yaml"]);
    expect(said).toContain("remembers  Another workflow enters here.");
  });

  it("lists workflows that only a run can find, without cost", async () => {
    const cwd = await tempFolder();
    await mkdir(path.join(cwd, "w"));
    const script = 'echo "<reset-workflow>$next</reset-workflow><goto>GONE</goto>"\n';
    await writeFile(path.join(cwd, "w", "START.sh"), script);
    const shell = testShell(cwd);

    await runCommandLine(["node", "raymond", "explain", "w"], shell);

    expect(shell.stdout()).toContain(
      "It can also enter workflows that are known only at run time: $next.",
    );
    expect(shell.stdout()).not.toContain("It costs nothing");
  });
});
