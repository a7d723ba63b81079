import { rename, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fakeClient } from "../../fixtures/fake-client.ts";
import { until } from "../../support/until.ts";
import { fleetScene } from "./scene.ts";
import { completed } from "./waiting.ts";

const FILES = {
  "w/START.md": "Work.",
  "s/START.sh": 'echo "<result>done</result>"',
};

/** A fleet whose machine `m1` finds its client at `client` in the project's folder, where nothing is yet. */
async function scene() {
  const client = await fakeClient({ replies: [{ say: "<result>done</result>", times: "always" }] });
  onTestFinished(() => client.remove());
  const own = (dir: string) => path.join(dir, "client");
  const fleet = await fleetScene(FILES, {
    envOf: (machine, { dir }) => ({
      CLAUDE_FAKE: client.env["CLAUDE_FAKE"] ?? "",
      // Of m3 none is named, and none is on its PATH.
      ...(machine !== "m3" && { RAYMOND_CLAUDE: machine === "m1" ? own(dir) : client.command }),
    }),
  });
  return {
    ...fleet,
    command: client.command,
    repair: async () => {
      await symlink(client.command, own(fleet.project.dir));
    },
  };
}

it("claims no runs with prompts on a machine with a broken client, and reports it", async () => {
  const fleet = await scene();
  await fleet.worker("m1");
  await fleet.worker("m2");

  const prompts: string[] = [];
  for (let at = 0; at < 6; at += 1) prompts.push(await fleet.submit("w"));
  const script = await fleet.submit("s", "--machine", "m1");
  const homes: (string | null)[] = [];
  for (const id of prompts) homes.push((await fleet.rowOf(id, completed)).home);
  const { home } = await fleet.rowOf(script, completed);

  expect(homes).toEqual(prompts.map(() => "m2"));
  expect(home).toBe("m1");
  const { stdout, stderr } = await fleet.call("fleet", "workers");
  expect(stdout).toMatch(/m1 +working, client unhealthy/);
  expect(stderr).toMatch(
    /m1 claims no runs with prompts without an account: Cannot find the client/,
  );
  expect((await fleet.call("fleet", "workers", "--json")).stdout).toContain(
    '"client_problems":{"":"Cannot',
  );
  const { stdout: checked } = await fleet.call("doctor", "--fleet");
  expect(checked).toMatch(/no runs with prompts: m1: Cannot find/);
});

it("runs waiting runs when the client works again, with the client of the worker", async () => {
  const fleet = await scene();
  await fleet.worker("m1");
  const id = await fleet.submit("w");
  const pinned = await fleet.submit("w", "--machine", "m1");

  for (const run of [id, pinned]) {
    const why = await until("the reason", async () => {
      const { stdout } = await fleet.call("why", run);
      return stdout.includes("client") ? stdout : undefined;
    });
    expect(why).toContain("waits for a working client on machine m1. Cannot find");
  }
  await fleet.repair();

  expect(await fleet.rowOf(id, completed)).toMatchObject({ home: "m1" });
  expect(await fleet.rowOf(pinned, completed)).toMatchObject({ home: "m1" });
});

it("claims a run that names its client where that of the machine does not work", async () => {
  const fleet = await scene();
  await fleet.worker("m3");

  const [id, lacking] = [
    await fleet.submit("w", "--machine", "m3", "--claude", fleet.command),
    await fleet.submit("w", "--machine", "m3", "--claude", "/nowhere/claude"),
  ];

  expect(await fleet.rowOf(id, completed)).toMatchObject({ home: "m3" });
  const { set_aside: why } = await fleet.rowOf(lacking, (row) => row.set_aside !== null);
  expect(why).toContain("Cannot find the client /nowhere/claude");
});

it("requeues a run that finds the client broken, which worked when the worker was started", async () => {
  const fleet = await scene();
  const broken = path.join(fleet.project.dir, "client");
  await fleet.repair();
  await fleet.worker("m1");
  await fleet.rowOf(await fleet.submit("w"), completed);
  await rename(broken, `${broken}.away`);

  const id = await fleet.submit("w");
  await until("the machine to be unhealthy", async () => {
    const { stdout } = await fleet.call("fleet", "workers");
    return stdout.includes("client unhealthy") || undefined;
  });
  await fleet.worker("m2");

  expect(await fleet.rowOf(id, completed)).toMatchObject({ home: "m2" });
});
