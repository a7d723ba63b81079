import { describe, expect, it, onTestFinished } from "vitest";
import { postgresStore } from "../../src/stores/postgres/store.ts";
import { until } from "../support/until.ts";
import { fleetScene, type Scene } from "./fleet-scene.ts";

/** What somebody who dies at the wrong moment leaves in the tables is written there by hand: the moment is too short to be met. */

const DONE = { "w/1_START.sh": 'echo "<result>done</result>"' };
/** Waits in its second step until there is a file `go`. */
const WAITING = {
  "w/1_START.sh": 'echo "<goto>2_WAIT.sh</goto>"',
  "w/2_WAIT.sh":
    'echo wait >> "$FOLDER/steps"\nuntil [ -e "$FOLDER/go" ]; do sleep 0.05; done\necho "<result>done</result>"',
};
const SOON = ["--ttl", "4s"];
const isCompleted = ({ status }: { readonly status: string }) => status === "completed";

function setDbos({ database }: Scene, change: string, id: string) {
  return database.query(
    `UPDATE dbos.workflow_status SET ${change} WHERE workflow_uuid LIKE 'run:' || $1 || ':%'`,
    [id],
  );
}

describe("a run that everybody could forget", () => {
  it("is put into its queue by a worker where whoever submitted it was cut off before that", async () => {
    const scene = await fleetScene(DONE);
    const id = await scene.submit("w");
    await scene.database.query("DELETE FROM dbos.workflow_status");
    await scene.database.query(
      `UPDATE raymond.runs SET placement = placement || '{"queued": false}'`,
    );

    await scene.worker("m1", ...SOON);

    expect(await scene.rowOf(id, isCompleted)).toMatchObject({ home: "m1", steps: 1 });
  });

  it("goes on elsewhere where the machine that it was handed to was gone before it began it", async () => {
    const scene = await fleetScene(DONE);
    const id = await scene.submit("w");
    await scene.database.query("INSERT INTO raymond.machines (id) VALUES ('m0')");
    await setDbos(scene, "status = 'PENDING', executor_id = 'm0'", id);

    await scene.worker("m1", ...SOON);

    expect(await scene.rowOf(id, isCompleted)).toMatchObject({ home: "m1", steps: 1 });
  });

  it("is begun where the answer that handed it to a worker was lost on its way", async () => {
    const scene = await fleetScene(DONE);
    await scene.worker("m1", ...SOON);
    const id = await scene.submit("w", "--at", "1h");

    await setDbos(scene, "status = 'PENDING', executor_id = 'm1'", id);
    // It is due now, whoever enqueues it.
    await scene.database.query(`UPDATE raymond.runs SET placement = placement || '{"at": null}'`);

    expect(await scene.rowOf(id, isCompleted)).toMatchObject({ steps: 1 });
  });

  it("is taken once it is free, by the worker that found it held for a moment", async () => {
    const scene = await fleetScene(DONE);
    const id = await scene.submit("w");
    const store = postgresStore(scene.database, scene.project.dir);
    onTestFinished(() => store.close());
    const lock = await store.lock(id);

    const worker = await scene.worker("m1", ...SOON);
    await worker.waitForStderr(/tried again: The run \S+ is held by process/);
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

describe("a run that is taken again and again without a step", () => {
  it("is not blamed for a worker that was told to end", async () => {
    const scene = await fleetScene(WAITING);
    const env = { ...scene.project.env, FOLDER: scene.project.dir };
    Object.assign(scene.project, { env });
    const first = await scene.worker("m1", ...SOON);
    const id = await scene.submit("w");
    await scene.project.fileWith("steps");
    // As if three had been before this one.
    await scene.database.query(
      `UPDATE raymond.runs SET placement = jsonb_set(placement, '{takes}', '{"vain": 3, "steps": 1}')`,
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

it("sets a run aside whose state is damaged, and says so", async () => {
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
      await worker.waitForStderr(/left to a worker of a newer raymond: .*by a newer raymond/);
      // It is offered again after a while, and not at once.
      await until("the run to wait in its queue", async () => {
        const waiting = await scene.database.query(
          "SELECT 1 FROM dbos.workflow_status WHERE status = 'DELAYED'",
        );
        return waiting[0];
      });
      // What the newer one would read.
      await scene.database.query(
        "UPDATE raymond.runs SET state = $1, placement = jsonb_set(placement, '{workspace}', $2)",
        [before?.state, JSON.stringify(before?.workspace)],
      );
      await setDbos(scene, "delay_until_epoch_ms = 0", id);

      expect(await scene.rowOf(id, isCompleted)).toMatchObject({ steps: 1 });
    },
  );
});
