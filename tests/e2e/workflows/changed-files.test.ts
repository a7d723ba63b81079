import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

/** A step that replaces the next state, which both loop to once. */
const FILES = {
  "w/START.sh": `echo 'echo "<goto>AGAIN</goto>"' > w/NEXT.sh; echo '<goto>NEXT</goto>'\n`,
  "w/NEXT.sh": "echo '<result>as written</result>'\n",
  "w/AGAIN.sh":
    'if [ -e seen ]; then echo "<result>end</result>"; else touch seen; echo "<goto>NEXT</goto>"; fi\n',
};
const ADDS = {
  "w/START.sh": `echo 'echo "<result>new</result>"' > w/N.sh; echo '<goto>N</goto>'\n`,
};
const WARNING = /! .*NEXT\.sh was changed during the run; its new content is used/g;

/** docs/permissions.md, "Changed files". */
describe("a state file that a step changed", () => {
  it("is executed with one warning, which is in the event log as well", async () => {
    const { raymond, project } = await scene(FILES);

    const end = await raymond("w --workflow-id one");

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr.match(WARNING)).toHaveLength(1);
    const events = await project.read(".raymond/runs/one/events.jsonl");
    expect(events).toContain("NEXT.sh was changed during the run");
  });

  it("is refused by --changed-files refuse, until the run is resumed", async () => {
    const { raymond } = await scene(FILES);

    const refused = await raymond("w --workflow-id one --changed-files refuse");
    const resumed = await raymond("--resume one");

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/NEXT\.sh was changed during the run, and changed_files/);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "end\n" });
  });

  it("is executed without a word by --changed-files allow", async () => {
    const { raymond } = await scene(FILES);

    const end = await raymond("w --changed-files allow");

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).not.toContain("during the run");
  });

  it("is reported by the resume when the run paused before it was used, once", async () => {
    const { raymond, project } = await scene(FILES);
    await raymond("w --workflow-id one --max-steps 1");

    const resumed = await raymond("--resume one --max-steps 2");
    const again = await raymond("--resume one --max-steps 9");

    expect(resumed.stderr.match(WARNING)).toHaveLength(1);
    expect(again).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(again.stderr).not.toContain("during the run");
    expect(await project.list(".raymond/runs/one")).not.toContain(
      ".raymond/runs/one/changed-files.json",
    );
  });

  it("is refused by the first resume when the run paused before it was used", async () => {
    const { raymond } = await scene(FILES);
    await raymond("w --workflow-id one --max-steps 1 --changed-files refuse");

    const refused = await raymond("--resume one --max-steps 9");
    const resumed = await raymond("--resume one");

    expect(refused.stderr).toMatch(/NEXT\.sh was changed during the run, and changed_files/);
    expect(refused.exitCode).toBe(1);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "end\n" });
  });

  it("is not reported when the user changed it while the run was paused", async () => {
    const { raymond, project } = await scene({
      ...FILES,
      "w/START.sh": "echo '<goto>NEXT</goto>'\n",
    });
    await raymond("w --workflow-id one --max-steps 1");
    await project.write("w/NEXT.sh", "echo '<result>fixed</result>'\n");

    const resumed = await raymond("--resume one --max-steps 9");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "fixed\n" });
    expect(resumed.stderr).not.toContain("during the run");
  });

  it("is refused when it is new, until the run is resumed", async () => {
    const { raymond } = await scene(ADDS);

    const refused = await raymond("w --run-id one");
    const resumed = await raymond("resume one");

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/N\.sh was added during the run, so it is not used/);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "new\n" });
  });

  it("is executed when it is new with --changed-files allow, and with a warning by --no-protect-workflow", async () => {
    const { raymond } = await scene(ADDS);
    const fresh = await scene(ADDS);

    const allowed = await raymond("w --changed-files allow");
    const warned = await fresh.raymond("w --no-protect-workflow");

    expect(allowed).toMatchObject({ exitCode: 0, stdout: "new\n" });
    expect(warned).toMatchObject({ exitCode: 0, stdout: "new\n" });
    expect(warned.stderr).toMatch(/! .*N\.sh was added during the run; its new content is used/);
  });
});

describe("a configuration that a step changed", () => {
  const steps = (config: string) => ({
    "w/START.sh": `printf '${config}' > .raymond/config.toml; echo '<result>end</result>'\n`,
  });
  const CONFIG = '[raymond]\\nnotify = "touch owned"\\nmodel = "opus"\\n';

  it("is reported at the end of the run, with its effect on the next one", async () => {
    const { raymond } = await scene({ ...steps(CONFIG), ".raymond/config.toml": "[raymond]\n" });

    const end = await raymond("w");

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).toMatch(
      /warning: .*config\.toml was changed during the run.*model = "opus" \(was "default"\); notify = "touch owned" \(was "none"\)/,
    );
  });

  it("is not reported where no setting differs", async () => {
    const { raymond } = await scene(steps("# a comment\\n"));

    expect((await raymond("w")).stderr).not.toContain("config.toml");
  });
});
