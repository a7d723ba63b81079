import { expect, it } from "vitest";
import { requestMove } from "../../../src/fleet/store/rows/moves.ts";
import { until } from "../../support/until.ts";
import type { Scene } from "./scene.ts";
import { completed, isWaiting, waiting } from "./waiting.ts";

const TRAVELS = ["--workspace", "shared", "--failover-after", "10m"];

async function stateOf(scene: Scene, machine: string): Promise<string | undefined> {
  const lines = (await scene.call("fleet", "workers", "--json")).stdout.trim().split("\n");
  const machines = lines.map((line) => JSON.parse(line) as { id: string; state: string });
  return machines.find(({ id }) => id === machine)?.state;
}

const becomes = (scene: Scene, machine: string, state: string) =>
  until(`${machine} to be ${state}`, async () =>
    (await stateOf(scene, machine)) === state ? true : undefined,
  );

it("moves a run whose move was requested by a command that was killed then", async () => {
  const scene = await waiting();
  await scene.worker("m1");
  const id = await scene.submit("w", ...TRAVELS);
  await isWaiting(scene);
  await scene.worker("m2");

  // Everything that a killed command leaves behind.
  await requestMove(scene.database, id, "m2");
  await scene.rowOf(id, ({ home }) => home === "m2");
  await scene.project.write("go", "");

  expect(await scene.rowOf(id, completed)).toMatchObject({ home: "m2", steps: 3 });
});

it("moves a run whose worker was killed before it could release the run", async () => {
  const scene = await waiting();
  const first = await scene.worker("m1");
  const id = await scene.submit("w", ...TRAVELS);
  await isWaiting(scene);
  await scene.worker("m2");
  first.kill("SIGSTOP");
  await requestMove(scene.database, id, "m2");
  first.kill("SIGKILL");
  await first.exit;

  await scene.rowOf(id, ({ home }) => home === "m2");
  await scene.project.write("go", "");

  expect(await scene.rowOf(id, completed)).toMatchObject({ home: "m2", steps: 3 });
});

it("drains a machine until it is empty, and returns it to service with the same worker", async () => {
  const scene = await waiting();
  const worker = await scene.worker("m1");
  const id = await scene.submit("w");
  await isWaiting(scene);

  await scene.call("fleet", "drain", "m1");
  await worker.waitForStderr(/m1 is draining/);
  expect(await stateOf(scene, "m1")).toBe("draining");
  const late = await scene.submit("w");
  expect((await scene.call("why", late)).stdout).toContain("m1 (draining)");
  await scene.project.write("go", "");
  await scene.rowOf(id, completed);
  await becomes(scene, "m1", "drained");

  const { stdout } = await scene.call("fleet", "drain", "m1", "--end");

  expect(stdout).toBe("m1 claims runs again.\n");
  expect(await scene.rowOf(late, completed)).toMatchObject({ home: "m1", steps: 3 });
  expect(await stateOf(scene, "m1")).toBe("working");
});

it("claims runs again when the drain ends before the machine is empty", async () => {
  const scene = await waiting();
  const worker = await scene.worker("m1");
  const id = await scene.submit("w");
  await isWaiting(scene);

  await scene.call("fleet", "drain", "m1");
  await worker.waitForStderr(/m1 is draining/);
  await scene.call("fleet", "drain", "m1", "--end");
  await scene.submit("w");
  await isWaiting(scene, 2);
  await scene.project.write("go", "");

  expect(await scene.rowOf(id, completed)).toMatchObject({ home: "m1", steps: 3 });
});

it("a worker that starts on a drained machine is ready when the machine returns to service", async () => {
  const scene = await waiting();
  const first = await scene.worker("m1");
  await scene.call("fleet", "drain", "m1");
  await becomes(scene, "m1", "drained");
  first.kill("SIGTERM");
  await first.exit;

  const again = await scene.worker("m1");
  await again.waitForStderr(/m1 is drained/);
  await scene.call("fleet", "drain", "m1", "--end");

  await again.waitForStderr(/Worker ready: machine "m1"/);
});
