import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resultScript, type Scene, scene, waitForFile } from "../../e2e/scene.ts";
import { counter } from "../counter.ts";

const STATE = ".raymond/workflows/one.json";
const RUN = "w --workflow-id one";
const DONE = { exitCode: 0, stdout: "done\n" };
const places = counter("places");
/** raymond writes into the folder while it is deleted: the folder may be full again. */
const REMOVAL = { recursive: true, maxRetries: 20, retryDelay: 20 } as const;

/** Three scripts. The second waits for the test. */
const LINE = {
  "w/START.sh": 'echo "<goto>SECOND</goto>"\n',
  "w/SECOND.sh": `dir=$(dirname "$RAYMOND_STATE_DIR")\necho x >>"$dir/second"\n${waitForFile('"$dir/go"', 'echo "<goto>THIRD</goto>"')}`,
  "w/THIRD.sh": resultScript("done"),
};

/** A run in its second step. */
async function inSecond({ project, start }: Scene, line = RUN) {
  const running = start(line);
  await project.fileWith("second");
  return running;
}

describe("a state folder that is deleted during a run", () => {
  it("is created again completely, with the lock of the run", async () => {
    places.add();
    const here = await scene(LINE);
    const waiting = waitForFile("end", resultScript("done"));
    await here.project.write("w/THIRD.sh", `echo x >third\n${waiting}`);
    const running = await inSecond(here);

    await rm(path.join(here.project.dir, ".raymond"), REMOVAL);
    await here.project.write("go", "");
    await here.project.fileWith("third");

    expect((await here.raymond("list")).stdout).toMatch(/^one +running/m);
    expect(await here.raymond("--resume one")).toMatchObject({ exitCode: 6, stdout: "" });
    await here.project.write("end", "");
    expect(await running.exit).toMatchObject(DONE);
    const kept = await readdir(path.join(here.project.dir, ".raymond/runs/one"));
    expect(kept.sort()).toEqual(["events.jsonl", "groups", "lock.1"]);
    expect(await here.project.read(".raymond/runs/one/events.jsonl")).toContain('"run.ended"');
    expect(await here.project.read(".raymond/.gitignore")).toContain("config.toml");
    expect(await here.raymond("--resume one")).toMatchObject({ exitCode: 2 });
  });

  it("belongs to a new run of the same name, if there is one: the first run stops", async () => {
    places.add();
    const here = await scene({
      ...LINE,
      "v/START.sh": `echo x >other\n${waitForFile("end", resultScript("other"))}`,
    });
    const first = await inSecond(here);
    await rm(path.join(here.project.dir, ".raymond"), REMOVAL);
    const second = here.start("v --workflow-id one");
    await here.project.fileWith("other");

    await here.project.write("go", "");
    expect(await first.exit).toMatchObject({ exitCode: 6, stdout: "" });

    await here.project.write("end", "");
    expect(await second.exit).toMatchObject({ exitCode: 0, stdout: "other\n" });
    expect(await here.project.run("one")).toMatchObject({ status: "completed", steps: 1 });
  });
});

describe("a workflow that changes during a run", () => {
  it("is read again at each step: edited texts, and after a resume also added scripts", async () => {
    places.add(2);
    const here = await scene({ ...LINE, "w/THIRD.md": "Not this." });
    await rm(path.join(here.project.dir, "w/THIRD.sh"));
    const running = await inSecond(here);

    await rm(path.join(here.project.dir, "w/THIRD.md"));
    await here.project.write("w/THIRD.sh", 'echo "<goto>START</goto>"\n');
    await here.project.write("w/START.sh", resultScript("done"));
    await here.project.write("go", "");

    const refused = await running.exit;
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toContain("THIRD.sh was added during the run");
    expect(await here.raymond("--resume one")).toMatchObject(DONE);
    expect(await here.calls()).toEqual([]);
  });

  it("reports a missing state, and can be resumed once it exists again", async () => {
    places.add();
    const here = await scene(LINE);
    const running = await inSecond(here);
    await rm(path.join(here.project.dir, "w/THIRD.sh"));
    await here.project.write("go", "");

    const failed = await running.exit;
    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain("THIRD");
    expect(failed.stderr).toMatch(/SECOND\.sh.*START\.sh/);
    await here.project.write("w/THIRD.sh", LINE["w/THIRD.sh"]);
    expect(await here.raymond("--resume one")).toMatchObject(DONE);
  });

  it("reports the path of a renamed workflow, and can be resumed once it exists again", async () => {
    places.add();
    const here = await scene(LINE);
    const at = (name: string) => path.join(here.project.dir, name);
    const running = await inSecond(here);
    await rename(at("w"), at("elsewhere"));
    await writeFile(at("go"), "");

    const failed = await running.exit;
    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain(at("w"));
    expect(await here.raymond("--resume one")).toMatchObject({ exitCode: 7, stdout: "" });
    await rename(at("elsewhere"), at("w"));
    expect(await here.raymond("--resume one")).toMatchObject(DONE);
  });

  it("keeps a run whose launch folder is deleted, and resumes it once the folder exists again", async () => {
    places.add();
    const here = await scene({ ...LINE, "launch/x": "" });
    const at = path.join(here.project.dir, "launch");
    const running = here.start("../w --workflow-id one --state-dir ../runs", { cwd: at });
    await here.project.fileWith("second");
    await rm(at, REMOVAL);
    await here.project.write("go", "");

    const failed = await running.exit;
    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain(`does not exist any more: ${at}`);
    expect(await here.raymond("--state-dir runs --resume one")).toMatchObject({ exitCode: 7 });
    await mkdir(at);
    expect(await here.raymond("--state-dir runs --resume one")).toMatchObject(DONE);
  });
});

describe("a folder with any name", () => {
  const names = [
    'two words, it\'s "so" $(touch pwned) `touch pwned` *',
    "-rf new\nline\ttab back\\slash",
    "🎉 e\u0301 é 日本 \u202eabc",
    "é".repeat(125),
    `${"n".repeat(250)}/${"m".repeat(250)}`,
  ];

  it("works for workflow, launch folder and runs: start, fail, list and resume", async () => {
    places.add(names.length);
    const here = await scene({});
    for (const [index, name] of names.entries()) {
      const cwd = path.join(here.project.dir, String(index), name);
      const write = async (file: string, text: string) => {
        await mkdir(path.join(cwd, "w"), { recursive: true });
        await writeFile(path.join(cwd, file), text);
      };
      await write(
        "w/START.sh",
        'cat <"$RAYMOND_STATE_FILE" >/dev/null || exit 9\n[ -e fixed ] || exit 1\necho "<goto>END</goto>"\n',
      );
      await write("w/END.sh", resultScript("done"));

      expect(await here.raymond(RUN, { cwd }), name).toMatchObject({ exitCode: 1, stdout: "" });
      const listed = await here.raymond("list", { cwd });
      expect(listed.stdout, name).toMatch(/^one +failed [^\n]*\n$/m);
      await write("fixed", "");
      expect(await here.raymond("--resume latest", { cwd }), name).toMatchObject(DONE);
      expect(await readdir(cwd), name).toEqual([".raymond", "fixed", "w"]);
    }
  });
});

describe("a minimal environment", () => {
  it.each([
    ["without HOME", "unset HOME; raymond w --workflow-id one"],
    ["without a folder for temporary files", "TMPDIR=/nonexistent raymond w --workflow-id one"],
    ["with few files", "ulimit -n 64; raymond w --workflow-id one"],
    ["with all of its standard streams closed", "raymond w --workflow-id one <&- >&- 2>&-"],
  ])("%s is enough for a run", async (_, line) => {
    places.add();
    const forks = 'echo "<fork next=\\"ASK\\">END</fork>"\n';
    const here = await scene(
      { "w/START.sh": forks, "w/ASK.md": "Ask.", "w/END.sh": resultScript("x") },
      [{ say: "<goto>END</goto>" }],
    );

    expect((await here.bash(line)).exitCode).toBe(0);

    const text = await here.project.read(STATE);
    expect(JSON.parse(text)).toMatchObject({ status: "completed", results: { main: "x" } });
  });
});
