import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

/** Output of a script, and the expected message. */
const FAULTS = [
  ["Done.", "No transition tag found"],
  ["<goto>A</goto> or <goto>B</goto>", "Exactly one is allowed"],
  ["<goto> </goto>", "The target of <goto> is empty"],
  ["<goto>START", "never closed"],
  ["<goto>../etc/passwd</goto>", "without folders"],
  ["<goto>STRAT</goto>", 'Did you mean "START.sh"?'],
  ["<call>START</call>", "<call> requires the attribute return"],
  ["<fork>START</fork>", "<fork> requires the attribute next"],
  ['<goto cd="/">START</goto>', "Unknown attribute cd of <goto>"],
  ["<goto x=y>START</goto>", "not in quotes"],
  ['<reset cd="gone">START</reset>', "does not exist: gone"],
  ['<fork next="START" Path="/evil">START</fork>', '"Path" is a reserved name'],
  ['<fork next="START" GIT_DIR="/x">START</fork>', '"GIT_DIR" is a reserved name'],
] as const;

describe("an output that is no transition", () => {
  it("fails its script immediately, with the reason", async () => {
    const faulty = FAULTS.map(([output], n) => [`w/F${String(n)}.sh`, `cat <<'E'\n${output}\nE\n`]);
    const { project, raymond } = await scene({
      ...(Object.fromEntries(faulty) as Record<string, string>),
      // Starts one worker after the other, of each kind.
      "w/START.sh": `n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n
[ $n -lt ${String(FAULTS.length)} ] && echo "<fork next='START'>F$n</fork>" || echo "<result/>"\n`,
    });

    const failed = await raymond("w --workflow-id one --keep-going");

    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    for (const [n, [, words]] of FAULTS.entries()) {
      const line = failed.stderr
        .split("\n")
        .find((one) => one.includes(`failed at F${String(n)}.sh`));
      expect(line).toContain(words);
    }
    expect(failed.stderr).toContain("resume with: raymond resume one");
    const { status, stop_reason, agents } = await project.run("one");
    expect(status).toBe("failed");
    expect(stop_reason).toMatchObject({ class: "deterministic" });
    expect(agents).toHaveLength(FAULTS.length);
  });

  it("fails a prompt without rules immediately, and keeps its cost", async () => {
    const { project, raymond, calls } = await scene({ "w/START.md": "Do it." }, [
      { say: "I have done it.", cost: 0.25 },
    ]);

    const failed = await raymond("w --workflow-id one");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("allowed_transitions");
    expect(await calls()).toHaveLength(1);
    expect((await project.run("one")).total_cost_usd).toBe(0.25);
  });
});

const RULES = `---
allowed_transitions:
  - { tag: goto, target: NEXT }
  - { tag: result }
---
The whole prompt.`;

describe("a prompt with rules", () => {
  it("is reminded with a short text in its session, and continues", async () => {
    const { raymond, calls } = await scene({ "w/START.md": RULES, "w/NEXT.md": "x" }, [
      { say: "I have done it." },
      { say: '<call return="NEXT">NEXT</call>' },
      { say: "<result>done</result>" },
    ]);

    const done = await raymond("w");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    const asked = await calls();
    expect(asked.map(({ mode }) => mode)).toEqual(["fresh", "resume", "resume"]);
    expect(new Set(asked.map(({ session }) => session)).size).toBe(1);
    for (const { prompt } of asked.slice(1)) {
      expect(prompt).toContain("<goto>NEXT</goto>");
      expect(prompt).not.toContain("The whole prompt.");
      expect(prompt.length).toBeLessThan(1024);
    }
    expect(done.stderr).toContain("reminders sent in: START.md 2×");
  });

  it("fails after its third reminder, and starts again after a resume", async () => {
    const { raymond, calls } = await scene({ "w/START.md": RULES, "w/NEXT.md": "x" }, [
      { say: "No.", times: 4 },
      { say: "<result>at last</result>" },
    ]);

    const failed = await raymond("w --workflow-id one");
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("Failed after 3 reminders.");
    expect(await calls()).toHaveLength(4);

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "at last\n" });
    const last = (await calls()).at(-1);
    expect(last).toMatchObject({ mode: "fresh", prompt: "The whole prompt." });
  });

  it("is reminded, and not asked again, after a crash of raymond", async () => {
    const { project, raymond, start, called, calls } = await scene(
      { "w/START.md": RULES, "w/NEXT.md": "x" },
      [{ say: "No." }, { do: "hang-before-init" }, { say: "<result>done</result>" }],
    );
    const first = start("w --workflow-id one");
    await called(2);
    first.kill("SIGKILL");
    await first.exit;
    const { agents } = await project.run("one");
    expect(agents).toMatchObject([{ reminders: 1, fault: { code: "no-tag" } }]);

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "done\n" });

    const prompts = (await calls()).map(({ prompt }) => prompt);
    expect(prompts.filter((prompt) => prompt.includes("The whole prompt."))).toHaveLength(1);
    expect(prompts[2]).toBe(prompts[1]);
  });
});
