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
    expect(await raymond("resume --due")).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "No run of this project is due.\n",
    });

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

    expect((await here.raymond("resume --due")).stdout).toBe("");
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

  it.each(["resume one --due", "resume --due --budget 5", "resume --due --detach"])(
    "refuses raymond %s",
    async (line) => {
      const { raymond } = await scene(HOURLY);

      const refused = await raymond(line);

      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toMatch(/--due .*\[cli\/flag-conflict\]/);
    },
  );
});
