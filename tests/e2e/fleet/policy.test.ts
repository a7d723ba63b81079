import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { fleetScene } from "./scene.ts";

const FILES = {
  "w/START.sh": `touch "$STARTED"; echo '<result>done</result>'\n`,
  "allowed/a": "",
  "other/b": "",
};

async function policyScene() {
  const scene = await fleetScene(FILES, {
    envOf: (_, { dir }) => ({ STARTED: path.join(dir, "started") }),
  });
  const { project } = scene;
  await project.write("worker.toml", `folders = ["${path.join(project.dir, "allowed")}"]\n`);
  const inFolder = (name: string) =>
    scene.call("submit", "w", "--workspace", "shared", "--folder", path.join(project.dir, name));
  return { ...scene, inFolder };
}

/** docs/fleet-operations.md, "Policy of a worker". */
describe("the policy of a worker", () => {
  it("allows a run in its folders, and a submit elsewhere is rejected with the reason", async () => {
    const scene = await policyScene();
    await scene.worker("m1", "--policy", "worker.toml");

    const allowed = await scene.inFolder("allowed");
    const refused = await scene.inFolder("other");

    await scene.rowOf(allowed.stdout.trim(), ({ status }) => status === "completed");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /the policy of m1 refuses it, because it does not allow the folder .*other \(allowed: .*allowed\)\. \[fleet\/refused-by-policy\]/,
    );
  });

  it("leaves a run that it refuses to another worker, and status names the reason meanwhile", async () => {
    const scene = await policyScene();
    const run = (await scene.inFolder("other")).stdout.trim();
    await scene.worker("m1", "--policy", "worker.toml");

    await until("the reason", async () => {
      const { stdout } = await scene.call("status", run);
      return /refused by the policy .* m1: it does not allow the folder/.test(stdout)
        ? true
        : undefined;
    });
    await scene.worker("m2");

    // Before m2 existed, m1 may have postponed the run by 45 seconds.
    const row = await scene.rowOf(run, ({ status }) => status === "completed", 90_000);
    expect(row.home).toBe("m2");
  });

  it("leaves runs to a worker that allows them, also if the other one is faster", async () => {
    const scene = await policyScene();
    await scene.worker("m1", "--policy", "worker.toml");
    await scene.worker("m2");

    const runs = [1, 2, 3, 4].map(async () => {
      const id = (await scene.inFolder("other")).stdout.trim();
      return scene.rowOf(id, ({ status }) => status === "completed");
    });

    expect((await Promise.all(runs)).map(({ home }) => home)).toEqual(["m2", "m2", "m2", "m2"]);
  });

  it("is checked again after the claim, with links resolved and without belief in the database", async () => {
    const scene = await policyScene();
    const { project, database } = scene;
    await symlink("../other", path.join(project.dir, "allowed", "link"));
    const submit = (...flags: readonly string[]) =>
      scene.submit("w", "--workspace", "shared", "--folder", ...flags);
    const linked = await submit(
      path.join(project.dir, "allowed", "link"),
      ...["--permissions", "edit"],
    );
    const forged = await submit(path.join(project.dir, "allowed"), "--permissions", "full");
    await database.query(
      `UPDATE raymond.runs SET placement = jsonb_set(placement, '{needs,permissions}', '"edit"') WHERE id = $1`,
      [forged],
    );
    const policy = await project.read("worker.toml");
    await project.write("worker.toml", `${policy}permissions = "edit"\n`);
    await scene.worker("m1", "--policy", "worker.toml");

    for (const [run, why] of [
      [
        linked,
        /The policy of worker m1 refuses the run, because it does not allow the folder .*other/,
      ],
      [forged, /The policy of worker m1 refuses the run, because .*full/],
    ] as const) {
      const { set_aside } = await scene.rowOf(run, (row) => row.set_aside !== null);
      expect(set_aside).toMatch(why);
    }
    expect(existsSync(path.join(project.dir, "started"))).toBe(false);
  });
});
