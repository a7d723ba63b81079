import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { type Scene, scene } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";

/** A script that waits an hour before it is run once more, which is the end. */
const HOURLY = {
  "w/START.sh": `echo x >>polls
if [ "$(wc -l <polls)" -ge 2 ]; then echo "<result>seen</result>"; exit; fi
echo '<reset delay="1h">START</reset>'
`,
};

/** Moves the end of the delay into the past. */
async function letPass({ project }: Scene): Promise<void> {
  const state = await project.read(STATE);
  const past = '"2020-01-01T00:00:00.000Z"';
  await project.write(
    STATE,
    state.replace(/"(since|until)": "[^"]*"/g, (_, name: string) => `"${name}": ${past}`),
  );
}

async function completed({ raymond }: Scene): Promise<void> {
  await until("the run to be complete", async () =>
    (await raymond("list --json --all")).stdout.includes('"status":"completed"') ? true : undefined,
  );
}

describe("a run with --park", () => {
  it("ends its process at a delay, and is resumed when the delay is over", async () => {
    const here = await scene(HOURLY);
    const { raymond } = here;

    const parked = await raymond("w --workflow-id one --park");

    expect(parked).toMatchObject({ exitCode: 5, stdout: "" });
    expect(parked.stderr).toMatch(/Parked until .*Z \(--park\)/);
    expect(parked.stderr).toContain("resume it then with: raymond resume one");
    expect((await raymond("status")).stdout).toMatch(/waits until .* after a resume, in 1 h/);
    expect((await raymond("--resume one --park")).exitCode).toBe(5);
    const early = await raymond("resume --due");
    expect(early).toMatchObject({ exitCode: 0, stdout: "" });
    expect(early.stderr).toMatch(
      /^No run of this project is due\.\none is not due: It waits until .* \d\d:\d\d\.\n$/,
    );

    await letPass(here);
    const resumed = await raymond("resume --due");

    expect(resumed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(resumed.stdout).toMatch(/^one is resumed by process \d+\.\n$/);
    await completed(here);
    expect((await raymond("resume --due")).stderr).toBe("No run of this project is due.\n");
  });

  it("is not required for a due run: a process that died during the wait is enough", async () => {
    const here = await scene(HOURLY);
    const run = here.start("w --workflow-id one");
    await here.project.fileWith(STATE, (text) => text.includes('"status": "waiting"'));
    run.kill("SIGKILL");
    await run.exit;
    await letPass(here);

    const resumed = await here.raymond("resume --due --json");

    expect(JSON.parse(resumed.stdout)).toMatchObject({ workflow_id: "one" });
    await completed(here);
  });

  it("leaves to the person who stopped a run when it is resumed", async () => {
    const here = await scene(HOURLY);
    const run = here.start("w --workflow-id one");
    await here.project.fileWith(STATE, (text) => text.includes('"status": "waiting"'));
    run.kill("SIGTERM");
    await run.exit;
    await letPass(here);

    const due = await here.raymond("resume --due");
    expect(due.stdout).toBe("");
    expect(due.stderr).toMatch(/one is not due: .*Resume it with: raymond resume one\n/);
  });

  it.each(["stop one", "stop one --after-steps"])("is not due after raymond %s", async (line) => {
    const here = await scene(HOURLY);
    await here.raymond("w --workflow-id one --park");

    const stopped = await here.raymond(line);

    expect(stopped).toMatchObject({ exitCode: 0 });
    expect(stopped.stdout).toMatch(/^one has stopped/);
    expect((await here.raymond("list")).stdout).toMatch(/^one +interrupted/m);
    await letPass(here);
    expect((await here.raymond("resume --due")).stdout).toBe("");
    expect((await here.raymond("why one")).stdout).toContain("Stopped while no process ran it.");
    expect((await here.raymond("resume one")).stdout).toBe("seen\n");
  });

  it("resumes a run whose process died in a step, unless it was stopped since", async () => {
    const here = await scene({
      "w/START.sh": `echo x >>acted
[ "$RAYMOND_ATTEMPT" -gt 1 ] || sleep 60
echo "<result>done</result>"
`,
    });
    for (const id of ["one", "two"]) {
      const run = here.start(`w --workflow-id ${id}`);
      const lines = id === "one" ? 1 : 2;
      await here.project.fileWith("acted", (text) => text.split("\n").length > lines);
      run.kill("SIGKILL");
      await run.exit;
    }
    await here.raymond("stop two");

    const resumed = await here.raymond("resume --due");

    expect(resumed.stdout).toMatch(/^one is resumed by process \d+\.\n$/);
    expect(resumed.stderr).toContain("two is not due: Stopped while no process ran it.");
    await completed(here);
  });

  it("resumes a run whose question is answered", async () => {
    const here = await scene({
      "w/START.sh": `echo '<ask next="NEXT">Which?</ask>'\n`,
      "w/NEXT.sh": `echo "<result>$RAYMOND_RESULT</result>"\n`,
    });
    expect((await here.raymond("w --workflow-id one")).exitCode).toBe(3);
    expect((await here.raymond("resume --due")).stdout).toBe("");

    await here.raymond("answer green");

    expect((await here.raymond("resume --due")).stdout).toContain("one is resumed");
    await completed(here);
  });

  it.each([
    "resume one --due",
    "resume --due latest",
    "resume --due --budget 5",
    "resume --due --detach",
  ])("refuses raymond %s", async (line) => {
    const { raymond } = await scene(HOURLY);

    const refused = await raymond(line);

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toMatch(/--due .*\[cli\/flag-conflict\]/);
  });
});

describe("several runs", () => {
  const GATED = { "w/START.sh": `[ -e go ] || exit 1\necho "<result>$RAYMOND_RUN</result>"\n` };

  it.each([
    ["resume one three one", ["one", "three"]],
    ["resume --all", ["three", "two", "one"]],
  ])("are resumed in the background by raymond %s", async (line, ids) => {
    const here = await scene(GATED);
    for (const id of ["one", "two", "three"]) await here.raymond(`w --workflow-id ${id}`);
    await here.project.write("go", "");

    const resumed = await here.raymond(line);

    expect(resumed).toMatchObject({ exitCode: 0, stderr: "" });
    const said = resumed.stdout.split("\n").map((each) => each.split(" ")[0]);
    expect(said).toEqual([...ids, ""]);
    await until("the runs to be complete", async () => {
      const { stdout } = await here.raymond("list --json --all");
      return stdout.split('"status":"completed"').length > ids.length ? true : undefined;
    });
    if (line.includes("--all")) {
      expect((await here.raymond(line)).stderr).toBe("This project has no unfinished runs.\n");
    }
  });

  it("resumes none of them if a name is unknown", async () => {
    const here = await scene(GATED);
    await here.raymond("w --workflow-id one");
    await here.project.write("go", "");

    expect(await here.raymond("resume one missing")).toMatchObject({ exitCode: 7, stdout: "" });
    expect((await here.raymond("list")).stdout).toMatch(/^one +failed/m);
  });

  it.each(["resume --all one", "resume --all --due", "resume one two --budget 5"])(
    "refuses raymond %s",
    async (line) => {
      const { raymond } = await scene(GATED);

      const refused = await raymond(line);

      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain("[cli/flag-conflict]");
    },
  );
});
