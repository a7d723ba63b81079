import { describe, expect, it, onTestFinished } from "vitest";
import { postgresStore } from "../../../src/fleet/store/store.ts";
import { until } from "../../support/until.ts";
import { fleetScene, type Scene } from "./scene.ts";

/** The tests write the rows that a crash at a specific time leaves: the time window is too short to hit. */

const DONE = { "w/1_START.sh": 'echo "<result>done</result>"' };
/** Waits in its second step for the file `go`. */
const WAITING = {
  "w/1_START.sh": 'echo "<goto>2_WAIT.sh</goto>"',
  "w/2_WAIT.sh":
    'echo wait >> "$FOLDER/steps"\nuntil [ -e "$FOLDER/go" ]; do sleep 0.2; done\necho "<result>done</result>"',
};
const SOON = ["--ttl", "4s"];
const isCompleted = ({ status }: { readonly status: string }) => status === "completed";

function setDbos({ database }: Scene, change: string, id: string) {
  return database.query(
    `UPDATE dbos.workflow_status SET ${change} WHERE workflow_uuid LIKE 'run:' || $1 || ':%'`,
    [id],
  );
}

describe("an abandoned run", () => {
  it("is enqueued by a worker if the submitter was killed before that", async () => {
    const scene = await fleetScene(DONE);
    const id = await scene.submit("w");
    await scene.database.query("DELETE FROM dbos.workflow_status");
    await scene.database.query(
      `UPDATE raymond.runs SET placement = placement || '{"queued": false}'`,
    );

    await scene.worker("m1", ...SOON);

    expect(await scene.rowOf(id, isCompleted)).toMatchObject({ home: "m1", steps: 1 });
  });

  it("is claimed by another machine if its worker dies before the first step", async () => {
    const scene = await fleetScene(DONE);
    const id = await scene.submit("w");
    await scene.database.query("INSERT INTO raymond.machines (id) VALUES ('m0')");
    await setDbos(scene, "status = 'PENDING', executor_id = 'm0'", id);

    await scene.worker("m1", ...SOON);

    expect(await scene.rowOf(id, isCompleted)).toMatchObject({ home: "m1", steps: 1 });
  });

  it("is started if the response to its claim was lost", async () => {
    const scene = await fleetScene(DONE);
    await scene.worker("m1", ...SOON);
    const id = await scene.submit("w", "--at", "1h");

    await setDbos(scene, "status = 'PENDING', executor_id = 'm1'", id);
    // It is due now.
    await scene.database.query(`UPDATE raymond.runs SET placement = placement || '{"at": null}'`);

    expect(await scene.rowOf(id, isCompleted)).toMatchObject({ steps: 1 });
  });

  it("is claimed when it is free, by the worker that found it held", async () => {
    const scene = await fleetScene(DONE);
    const id = await scene.submit("w");
    const store = postgresStore(scene.database, scene.project.dir);
    onTestFinished(() => store.close());
    const lock = await store.lock(id);

    const worker = await scene.worker("m1", ...SOON);
    await worker.waitForStderr(/will be retried: .* is locked by process/);
    await lock.release();

    expect(await scene.rowOf(id, isCompleted)).toMatchObject({ steps: 1 });
  });

  it("is not resumed twice by two who resume it at once", async () => {
    const scene = await fleetScene(WAITING);
    const env = { ...scene.project.env, FOLDER: scene.project.dir };
    Object.assign(scene.project, { env });
    const id = await scene.submit("w");
    await scene.call("stop", id);

    const both = await Promise.all([scene.call("resume", id), scene.call("resume", id)]);
    await scene.worker("m1", ...SOON);
    await scene.project.fileWith("steps");
    await scene.project.write("go", "");
    await scene.rowOf(id, isCompleted);

    expect(both.map(({ exitCode }) => exitCode)).toContain(0);
    expect(await scene.project.read("steps")).toBe("wait\n");
  });
});

describe("a run that is claimed repeatedly without a step", () => {
  it("does not count a worker shutdown as an attempt", async () => {
    const scene = await fleetScene(WAITING);
    const env = { ...scene.project.env, FOLDER: scene.project.dir };
    Object.assign(scene.project, { env });
    const first = await scene.worker("m1", ...SOON);
    const id = await scene.submit("w");
    await scene.project.fileWith("steps");
    // As after three earlier attempts.
    await scene.database.query(
      `UPDATE raymond.runs SET placement = jsonb_set(placement, '{claims}', '{"stalled": 3, "steps": 1}')`,
    );

    first.kill("SIGTERM");
    await first.exit;
    await scene.worker("m1", ...SOON);
    await scene.project.fileWith("steps", (text) => text === "wait\nwait\n");
    await scene.project.write("go", "");

    expect(await scene.rowOf(id, ({ status }) => status !== "running")).toMatchObject({
      status: "completed",
      set_aside: null,
    });
  });
});

it("sets aside a run with a damaged state, and reports it", async () => {
  const scene = await fleetScene(DONE);
  const id = await scene.submit("w");
  await scene.database.query("UPDATE raymond.runs SET state = left(state, 100)");

  await scene.worker("m1", ...SOON);
  const { set_aside: aside } = await scene.rowOf(id, (row) => row.set_aside !== null);

  expect(aside).toContain("was cut off");
});

describe("a run of a newer raymond", () => {
  it.each([
    ["state", `state = regexp_replace(state, '"version": *', '"version": 9')`],
    ["placement", `placement = jsonb_set(placement, '{workspace,kind}', '"of the future"')`],
  ])(
    "is left to a newer worker, where its %s cannot be read, and is not lost",
    async (_, change) => {
      const scene = await fleetScene(DONE);
      const id = await scene.submit("w");
      const [before] = await scene.database.query<{ state: string; workspace: unknown }>(
        "SELECT state, placement->'workspace' AS workspace FROM raymond.runs",
      );
      await scene.database.query(`UPDATE raymond.runs SET ${change}`);

      const worker = await scene.worker("m1", ...SOON);
      await worker.waitForStderr(/requeued for a worker with a newer raymond: /);
      // It is retried after a delay.
      await until("the run to wait in its queue", async () => {
        const waiting = await scene.database.query(
          "SELECT 1 FROM dbos.workflow_status WHERE status = 'DELAYED'",
        );
        return waiting[0];
      });
      // The format of the newer version.
      await scene.database.query(
        "UPDATE raymond.runs SET state = $1, placement = jsonb_set(placement, '{workspace}', $2)",
        [before?.state, JSON.stringify(before?.workspace)],
      );
      await setDbos(scene, "delay_until_epoch_ms = 0", id);

      expect(await scene.rowOf(id, isCompleted)).toMatchObject({ steps: 1 });
    },
  );
});
