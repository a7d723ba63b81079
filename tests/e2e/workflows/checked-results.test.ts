import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

const SCHEMA = JSON.stringify({ type: "object", required: ["path"] });
const ENDING = "# raymond: schema=a.schema.json\necho '<result>{}</result>'\n";

/** docs/authoring.md, "Checked results". */
describe("a script with a schema", () => {
  it("fails with the fault if its result does not match", async () => {
    const { raymond } = await scene({ "w/START.sh": ENDING, "w/a.schema.json": SCHEMA });

    const end = await raymond("w");

    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain(
      'The result must be JSON that matches a.schema.json: the value must have the key "path".',
    );
  });

  it("moves to its on_error state, which gets the fault", async () => {
    const { raymond } = await scene({
      "w/START.sh": ENDING.replace("schema=", "on_error=FIX schema="),
      "w/FIX.sh": 'echo "<result>$RAYMOND_RESULT</result>"\n',
      "w/a.schema.json": SCHEMA,
    });

    const end = await raymond("w");

    expect(end).toMatchObject({ exitCode: 0 });
    expect(end.stdout).toContain('the value must have the key "path"');
  });
});

/** docs/permissions.md, "Changed files". */
describe("a schema that a step changed", () => {
  const FILES = {
    "w/START.sh": "echo true > w/a.schema.json; echo '<goto>END</goto>'\n",
    "w/END.sh": ENDING,
    "w/a.schema.json": SCHEMA,
  };

  it("is used with a warning", async () => {
    const { raymond } = await scene(FILES);

    const end = await raymond("w");

    expect(end).toMatchObject({ exitCode: 0, stdout: "{}\n" });
    expect(end.stderr).toMatch(/! .*a\.schema\.json was changed during the run/);
  });

  it("is refused by --changed-files refuse", async () => {
    const { raymond } = await scene(FILES);

    const end = await raymond("w --changed-files refuse");

    expect(end.exitCode).toBe(1);
    expect(end.stderr).toMatch(/a\.schema\.json was changed during the run, and changed_files/);
  });

  it("is refused also if the step changed its own schema", async () => {
    const { raymond } = await scene({
      "w/START.sh": `# raymond: schema=a.schema.json\necho true > w/a.schema.json; echo '<result>{}</result>'\n`,
      "w/a.schema.json": SCHEMA,
    });

    const end = await raymond("w --changed-files refuse");

    expect(end.exitCode).toBe(1);
    expect(end.stderr).toMatch(/a\.schema\.json was changed during the run, and changed_files/);
  });
});

describe("a call with a schema", () => {
  it("still checks the result after kill -9 and a resume", async () => {
    const { raymond, project } = await scene({
      "w/START.md":
        "---\nallowed_transitions:\n  - { tag: call, target: WORK, return: END, schema: a.schema.json }\n---\nCall it.\n",
      "w/WORK.sh": `if [ -e seen ]; then echo '<result>{}</result>'; else touch seen; kill -9 $PPID; sleep 60; fi\n`,
      "w/END.sh": 'echo "<result>$RAYMOND_RESULT</result>"\n',
      "w/a.schema.json": SCHEMA,
      "w/a.sim.yaml": "states: { START: [{ reply: Done }] }\n",
    });

    await raymond("w --simulate --workflow-id one");
    const state = await project.read(".raymond/workflows/one.json");
    const end = await raymond("--resume one");

    expect(state).toContain('"schema": "a.schema.json"');
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain("The result must be JSON that matches a.schema.json");
  });
});
