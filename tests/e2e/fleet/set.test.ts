import { expect, it } from "vitest";
import { markedProcesses } from "../../support/process/leaks.ts";
import { completed, loggingScene } from "./waiting.ts";

const SCHEMA = JSON.stringify({ type: "object", required: ["files"] });

it("sets the result of a running step and of a failed agent, from a machine that runs nothing", async () => {
  const scene = await loggingScene({
    "runs/1_START.sh": "echo '<call return=\"3_END\">2_WORK</call>'",
    "runs/2_WORK.sh": 'echo x > "$FOLDER/started"; sleep 600 & wait',
    "runs/3_END.sh": 'echo "<result>got $RAYMOND_RESULT</result>"',
    "fails/1_START.sh":
      '# raymond: schema=plan.schema.json\necho broken >> "$FOLDER/failed"; exit 1',
    "fails/plan.schema.json": SCHEMA,
  });
  const { project } = scene;
  await scene.worker("m1");

  const running = await scene.submit("runs");
  await project.fileWith("started");
  const set = await scene.call("set", running, "main", "--result", "fine", "--reason", "it hangs");
  expect(set).toMatchObject({ exitCode: 0 });
  await scene.rowOf(running, completed);
  expect((await scene.call("status", running)).stdout).toContain("got fine");
  expect(await markedProcesses("RAYMOND_WORKFLOW_ID", running)).toEqual([]);

  const failed = await scene.submit("fails");
  await scene.rowOf(failed, ({ status }) => status === "failed");
  const refused = await scene.call("set", failed, "main", "--result", '{"file": 1}');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(
    'The result must be JSON that matches plan.schema.json: the value must have the key "files". No result was set.',
  );
  expect(await scene.call("set", failed, "main", "--result", '{"files": []}')).toMatchObject({
    exitCode: 0,
  });
  await scene.rowOf(failed, ({ status }) => status === "completed");
  expect((await scene.call("status", failed)).stdout).toContain('{"files": []}');

  const audit = await scene.call("fleet", "audit", "--json");
  const entries = audit.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly action: string });
  // A failed run is queued again.
  expect(entries.filter(({ action }) => action !== "resume")).toMatchObject([
    { action: "submit", run: running, via: "command" },
    { action: "set", run: running, db_user: expect.stringMatching(/./) as string },
    { action: "submit", run: failed },
    { action: "set", run: failed },
  ]);
  expect(Object.keys(entries[0] ?? {})).toEqual([
    ...["at", "action", "run", "user", "host", "via", "sudo_user", "db_user", "detail"],
  ]);
  await scene.call("prune", running, "--yes");
  const ofRun = await scene.call("fleet", "audit", "--run", running, "--limit", "2");
  expect(
    ofRun.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/)[1]),
  ).toEqual([...["action", "set", "prune"]]);
});

it("records who stopped a run before its end", async () => {
  const scene = await loggingScene({
    "w/1_START.sh": `echo '<goto delay="1h">2_END</goto>'`,
    "w/2_END.sh": 'echo "<result>late</result>"',
  });
  await scene.worker("m1");
  const id = await scene.submit("w");
  await scene.rowOf(id, ({ steps }) => steps === 1);

  await scene.call("stop", id);

  const rows = await scene.database.query<{ line: string }>(
    "SELECT line FROM raymond.events WHERE run = $1 ORDER BY seq",
    [id],
  );
  const types = rows.map(({ line }) => (JSON.parse(line) as { type: string }).type);
  expect(types.filter((type) => type === "run.controlled" || type === "run.ended")).toEqual([
    ...["run.controlled", "run.ended"],
  ]);
});
