import { describe, expect, it } from "vitest";
import { raymond } from "../../support/cli.ts";
import { until } from "../../support/until.ts";
import { fleetScene } from "./scene.ts";
import { completed, isAlive, isWaiting, recordsOf, stateOf, stepsOf, waiting } from "./waiting.ts";

describe("a fleet", () => {
  it("runs a submitted run with the same events as a local run", async () => {
    const scene = await fleetScene({
      "w/1_START.sh": `echo '<call return="2_NEXT.sh">WORK.sh</call>'`,
      "w/2_NEXT.sh": 'echo "<result>$who $RAYMOND_RESULT</result>"',
      "w/WORK.sh": 'echo "<result>works</result>"',
    });
    const { project } = scene;
    await scene.worker("m1");

    const id = await scene.submit("w", "--var", "who=she");
    await scene.rowOf(id, completed);
    const there = await scene.call("logs", id, "-f", "--json");
    await raymond(["w", "--var", "who=she", "--workflow-id", "here"], {
      project,
    });
    const here = await scene.call("logs", "here", "--json", "--no-fleet");

    expect(typesOf(there.stdout)).toEqual(typesOf(here.stdout));
    expect(typesOf(there.stdout).at(-1)).toMatch("run.ended");
    expect((await scene.call("list")).stdout).toContain("completed");
    expect((await scene.call("status", id, "--json")).stdout).toContain('"she works"');
  });

  it("continues on another machine after the lease of the first one has expired", async () => {
    const scene = await waiting();
    const workers = { m1: await scene.worker("m1"), m2: await scene.worker("m2") };
    const id = await scene.submit("w", "--workspace", "shared", "--failover-after", "3s");
    await isWaiting(scene);
    const { home } = await scene.rowOf(id, (row) => row.home !== null);
    const other = home === "m1" ? "m2" : "m1";

    workers[home as "m1"].kill("SIGKILL");
    await scene.rowOf(id, (row) => row.home === other);
    await isWaiting(scene, 2);
    await scene.project.write("go", "");
    const row = await scene.rowOf(id, completed);

    expect(row).toMatchObject({ home: other, steps: 3 });
    expect(await stepsOf(scene)).toEqual(["start", "wait", "wait", "end"]);
  });

  it("waits with a message for the machine that has its files, and continues when it is back", async () => {
    const scene = await waiting();
    const worker = await scene.worker("m1");
    await scene.worker("m2");
    const id = await scene.submit("w", "--machine", "m1", "--failover-after", "1s");
    await isWaiting(scene);

    worker.kill("SIGKILL");
    await worker.exit;
    const { stdout } = await until("a queued run", async () => {
      const shown = await scene.call("status", id);
      return shown.stdout.includes("queued") ? shown : undefined;
    });
    await scene.worker("m1");
    await isWaiting(scene, 2);
    await scene.project.write("go", "");
    const row = await scene.rowOf(id, completed);

    expect(stdout).toContain("waits for its home m1: its files are there");
    expect(row).toMatchObject({ home: "m1", steps: 3 });
    expect(await stepsOf(scene)).toEqual(["start", "wait", "wait", "end"]);
  });

  it("returns a run from the pool queue to its home machine, whichever worker polls first", async () => {
    const scene = await waiting();
    const worker = await scene.worker("m1");
    const id = await scene.submit("w");
    await isWaiting(scene);
    await scene.worker("m2");

    worker.kill("SIGKILL");
    await worker.exit;
    await scene.worker("m1", "--poll", "3s");
    await isWaiting(scene, 2);
    await scene.project.write("go", "");
    const row = await scene.rowOf(id, completed);

    expect(row).toMatchObject({ home: "m1", steps: 3 });
    expect(await stepsOf(scene)).toEqual(["start", "wait", "wait", "end"]);
  });

  it("rejects writes of a machine that hung for longer than its lease, and kills its processes", async () => {
    const scene = await waiting();
    const workers = { m1: await scene.worker("m1"), m2: await scene.worker("m2") };
    const id = await scene.submit("w", "--workspace", "shared", "--failover-after", "1s");
    await isWaiting(scene);
    const { home } = await scene.rowOf(id, (row) => row.home !== null);
    const hung = workers[home as "m1"];

    hung.kill("SIGSTOP");
    await scene.rowOf(id, (row) => row.home !== null && row.home !== home);
    const [ofHung] = /(?<=wait )\d+/.exec(await isWaiting(scene, 2)) ?? [];
    const besides = await stateOf(Number(ofHung));
    const before = await recordsOf(scene, id);
    hung.kill("SIGCONT");
    const { exitCode, stderr } = await hung.exit;
    const after = await recordsOf(scene, id);
    const [first] = (await scene.project.read("steps")).match(/(?<=wait )\d+/) ?? [];
    await scene.project.write("go", "");
    const row = await scene.rowOf(id, completed);

    // Killed while its worker is paused, so that the worker cannot record it yet.
    expect(besides).toMatch(/^[Z-]$/);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("lease has expired");
    expect(isAlive(Number(first))).toBe(false);
    expect(after).toEqual(before);
    expect(row.steps).toBe(3);
    expect((await stepsOf(scene)).filter((step) => step === "end")).toEqual(["end"]);
  });

  it("stops a run with all its processes from a third machine, and resumes it", async () => {
    const scene = await waiting();
    await scene.worker("m1");
    const id = await scene.submit("w");
    const [first] = (await isWaiting(scene)).match(/(?<=wait )\d+/) ?? [];

    const stopped = await scene.call("stop", id);

    expect(stopped).toMatchObject({ exitCode: 0 });
    expect(stopped.stdout).toContain("interrupted");
    expect(isAlive(Number(first))).toBe(false);
    await scene.project.write("go", "");
    await scene.call("resume", id);
    expect(await scene.rowOf(id, completed)).toMatchObject({ steps: 3 });
  });

  it("moves a run to another machine, and drains one", async () => {
    const scene = await waiting();
    await scene.worker("m1");
    const id = await scene.submit("w", "--workspace", "shared");
    await isWaiting(scene);
    await scene.worker("m2");

    await scene.call("fleet", "move", id, "--to", "m2");
    await scene.rowOf(id, ({ home }) => home === "m2");
    await isWaiting(scene, 2);
    const drained = await scene.call("fleet", "drain", "m1");
    await scene.project.write("go", "");

    expect(drained.stdout).toBe("m1 claims no more runs.\n");
    expect(await scene.rowOf(id, completed)).toMatchObject({ home: "m2", steps: 3 });
    const machines = (await scene.call("fleet", "workers", "--json")).stdout.trim().split("\n");
    expect(machines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: "m1", state: "drained", draining: true, runs: 0 },
      { id: "m2", state: "working", draining: false, lives: true, runs: 0 },
    ]);
  });

  it("requeues a run that a machine has claimed while it was drained", async () => {
    const scene = await waiting();
    await scene.project.write("go", "");
    const drained = await scene.worker("m1");
    await scene.database.query(
      `CREATE FUNCTION drain() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN UPDATE raymond.machines SET draining = true WHERE id = 'm1'; RETURN NULL; END $$;
       CREATE TRIGGER drain AFTER UPDATE ON dbos.workflow_status FOR EACH ROW
         WHEN (NEW.status = 'PENDING') EXECUTE FUNCTION drain()`,
    );

    const id = await scene.submit("w");
    await drained.waitForStderr(/m1 is drained/);
    await scene.worker("m2");

    expect(await scene.rowOf(id, completed)).toMatchObject({ home: "m2", steps: 3 });
  });

  it("sets aside a run that was claimed repeatedly without a step, until it is resumed", async () => {
    const scene = await fleetScene({ "w/1_START.sh": 'echo "<result>done</result>"' });
    const id = await scene.submit("w");
    await scene.database.query(
      `UPDATE raymond.runs SET placement = placement || '{"claims": {"stalled": 3, "steps": 0}}'`,
    );

    await scene.worker("m1");
    const aside = await scene.rowOf(id, ({ status }) => status === "failed");
    const why = await scene.call("why", id);
    await scene.call("resume", id);
    await scene.rowOf(id, ({ status }) => status === "completed");

    expect(aside.set_aside).toContain("claimed 4 times without completing a step");
    expect(why.stdout).toContain("claimed 4 times without completing a step");
  });

  it("refuses a second worker for a machine", async () => {
    const scene = await fleetScene({});
    await scene.worker("m1");

    const second = await scene.call("worker", "--machine", "m1", "--state-dir", "other");

    expect(second).toMatchObject({ exitCode: 2 });
    expect(second.stderr).toContain("already runs as machine m1");
  });
});

function typesOf(log: string): readonly string[] {
  return log
    .trim()
    .split("\n")
    .map((line) => {
      const { type, agent, state } = JSON.parse(line) as Record<string, string | undefined>;
      return [type, agent, state].join(" ");
    });
}
