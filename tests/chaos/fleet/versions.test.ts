import { expect, it } from "vitest";
import { SCHEMA_VERSION } from "../../../src/fleet/store/migrations.ts";
import { fleetScene } from "../../e2e/fleet/scene.ts";
import { completed } from "../../e2e/fleet/waiting.ts";
import { raymond } from "../../support/cli.ts";
import { until } from "../../support/until.ts";
import { NEWER, newerBuild } from "./newer-build.ts";

/** Each run waits in its second step for its own file. */
const logStep = (step: string) => `echo "$RAYMOND_WORKFLOW_ID ${step}" >>"$FOLDER/steps"\n`;
const WAITING = {
  "w/1_START.sh": `${logStep("start")}echo "<goto>2_WAIT.sh</goto>"`,
  "w/2_WAIT.sh": `${logStep("wait")}until [ -e "$FOLDER/go-$RAYMOND_WORKFLOW_ID" ]; do sleep 0.2; done
echo "<goto>3_END.sh</goto>"`,
  "w/3_END.sh": `${logStep("end")}echo "<result>done</result>"`,
};
const NEWER_BUILD = new RegExp(`^${NEWER}\\+[0-9a-f]{8}$`);
const TRAVELS = ["--workspace", "shared", "--failover-after", "1s"];

/* docs/fleet-operations.md, "Upgrades", with two builds, step by step. */
it("upgrades machine by machine with runs in flight, without losing or repeating steps", async () => {
  const newer = await newerBuild();
  const isNewer = new Set<string>();
  const scene = await fleetScene(WAITING, {
    mainOf: (machine) => (isNewer.has(machine) ? newer : undefined),
  });
  const { project, database } = scene;
  Object.assign(project, { env: { ...project.env, FOLDER: project.dir } });
  const callNewer = (...words: readonly string[]) => raymond(words, { project, main: newer });
  const stepsOf = async (id: string) => {
    const text = await project.read("steps");
    return text.split("\n").flatMap((line) => (line.startsWith(id) ? [line.split(" ")[1]] : []));
  };
  const waits = (id: string, times: number) =>
    project.fileWith("steps", (text) => text.split(`${id} wait`).length > times);
  /** Runs that a worker cannot read are retried after 30 s: here immediately. */
  const offered = (id: string) =>
    until(`${id} to be taken`, async () => {
      await database.query(
        "UPDATE dbos.workflow_status SET delay_until_epoch_ms = 0 WHERE workflow_uuid LIKE 'run:' || $1 || ':%'",
        [id],
      );
      const [row] = await database.query(
        "SELECT 1 FROM raymond.runs WHERE id = $1 AND home = 'm1'",
        [id],
      );
      return row;
    });

  // Another machine of the same version takes over the runs of a drained one.
  const m1 = await scene.worker("m1");
  const moved = await scene.submit("w", ...TRAVELS);
  await waits(moved, 1);
  const m2 = await scene.worker("m2");
  await scene.call("fleet", "drain", "m1", "--move");
  m1.kill("SIGTERM");
  expect(await m1.exit).toMatchObject({ exitCode: 0 });
  await waits(moved, 2);
  const stays = await scene.submit("w");
  await waits(stays, 1);

  // After the schema upgrade, running workers continue, new workers of the old version are rejected.
  const { stdout: prepared } = await callNewer("fleet", "init");
  const refused = await Promise.all([
    scene.call("worker", "--machine", "m3", "--state-dir", "m3"),
    scene.call("submit", "w"),
  ]);
  await project.write(`go-${stays}`, "");
  await scene.rowOf(stays, completed);

  expect(prepared).toContain(
    `from version ${String(SCHEMA_VERSION)} to ${String(SCHEMA_VERSION + 1)}`,
  );
  for (const { exitCode, stderr } of refused) {
    expect(exitCode).toBe(2);
    expect(stderr).toContain("which is newer than version");
    expect(stderr).toContain("Update raymond on this machine");
  }

  // Older workers do not touch runs that a newer one has saved, queued or in flight.
  const { stdout } = await callNewer("submit", "w", ...TRAVELS);
  const late = stdout.trim();
  await m2.waitForStderr(leftAlone(late, 1));
  isNewer.add("m1");
  const starting = scene.worker("m1");
  await callNewer("drain", "m1", "--end");
  const again = await starting;
  await offered(late);
  await waits(late, 1);
  again.kill("SIGKILL");
  await again.exit;
  await m2.waitForStderr(leftAlone(late, 2));
  await scene.worker("m1");
  await offered(late);
  await waits(late, 2);

  // The newer worker resumes runs that the older one has saved.
  await callNewer("drain", "m2", "--move");
  m2.kill("SIGTERM");
  expect(await m2.exit).toMatchObject({ exitCode: 0 });
  isNewer.add("m2");
  const last = scene.worker("m2");
  await callNewer("drain", "m2", "--end");
  await last;
  await waits(moved, 3);
  for (const id of [moved, late]) await project.write(`go-${id}`, "");
  for (const id of [moved, stays, late]) {
    expect(await scene.rowOf(id, completed)).toMatchObject({ steps: 3, set_aside: null });
  }

  expect(await stepsOf(moved)).toEqual(["start", "wait", "wait", "wait", "end"]);
  expect(await stepsOf(stays)).toEqual(["start", "wait", "end"]);
  expect(await stepsOf(late)).toEqual(["start", "wait", "wait", "end"]);
  const machines = (await callNewer("fleet", "workers", "--json")).stdout.trim().split("\n");
  expect(machines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
    ["m1", "m2"].map((id) => ({
      id,
      version: expect.stringMatching(NEWER_BUILD) as string,
      lives: true,
      draining: false,
      runs: 0,
    })),
  );
});

function leftAlone(id: string, times: number): RegExp {
  return new RegExp(`(${id}: requeued for a worker with a newer raymond: [^]*){${String(times)}}`);
}
