import { expect, it } from "vitest";
import { initializedFleet } from "../../support/fleet/quiet-fleet.ts";

it("commands that change a fleet support --json", async () => {
  const { say, machine } = await initializedFleet();
  await machine("m1");
  const json = async (...words: readonly string[]) =>
    JSON.parse((await say(...words, "--json")).out) as object;
  await say("submit", "w", "--workflow-id", "r", "--workspace", "shared");
  await say("submit", "w", "--workflow-id", "nightly", "--every", "@daily");

  const free = {
    agent: null,
    message: "waits, because all machines that may run it are drained: m1",
  };
  expect(await json("fleet", "drain", "m1")).toEqual({
    ...{ machine: "m1", draining: true },
    ...{ moved: [], completed: [], requested: [], left: [] },
  });
  expect(await json("fleet", "move", "r", "--to", "m1")).toEqual({
    ...{ workflow_id: "r", machine: "m1", outcome: "moved", waits: "drained" },
  });
  expect(await json("resume", "r")).toEqual({ workflow_id: "r", held_up: [free] });
  expect(await json("fleet", "drain", "m1", "--end")).toMatchObject({
    machine: "m1",
    draining: false,
  });
  expect(await json("fleet", "schedules", "pause", "nightly")).toMatchObject({
    name: "nightly",
    paused: true,
  });
  expect(await json("fleet", "schedules", "resume", "nightly")).toMatchObject({ paused: false });
  expect(await json("fleet", "schedules", "remove", "nightly")).toEqual({
    name: "nightly",
    removed: true,
  });
});
