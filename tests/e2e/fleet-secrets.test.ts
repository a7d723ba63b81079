import { chmod, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { describeNeeds, itNeeds, PROC } from "../support/needs.ts";
import { fleetScene, type Scene } from "./fleet-scene.ts";
import { completed } from "./fleet-waiting.ts";

/** Prints all that a step can see of the process that started it. */
const SPY = `{ env; tr '\\0' '\\n' < /proc/$PPID/environ; tr '\\0' ' ' < /proc/$PPID/cmdline
for file in /proc/$PPID/fd/*; do readlink "$file"; done; } > seen 2>&1
echo "<result>$(id -un)</result>"`;

const ROOT = { met: process.getuid?.() === 0, reason: "this is not root" };

/** The password of the fleet's database. */
function passwordOf({ project }: Scene): string {
  return new URL(project.env["RAYMOND_FLEET"] ?? "").password;
}

/** Runs `w` to its end, and resolves with what its step has seen. */
async function seenBy(scene: Scene): Promise<string> {
  const id = await scene.submit("w", "--folder", scene.project.dir);
  await scene.rowOf(id, completed);
  return scene.project.read("seen");
}

describeNeeds(PROC, "a step of a fleet", () => {
  it.each([
    ["the environment", (url: string) => ({ RAYMOND_FLEET: url }), () => []],
    ["--url", () => ({ RAYMOND_FLEET: "" }), (url: string) => ["--url", url]],
    ["a file", () => ({ RAYMOND_FLEET: "", RAYMOND_FLEET_FILE: "url" }), () => []],
    [
      "a systemd credential",
      () => ({ RAYMOND_FLEET: "", CREDENTIALS_DIRECTORY: "keys" }),
      () => [],
    ],
  ])("finds the password of the database nowhere that was given by %s", async (_, envOf, flags) => {
    const given: { url: string } = { url: "" };
    const scene = await fleetScene({ "w/START.sh": SPY }, { envOf: () => envOf(given.url) });
    given.url = scene.project.env["RAYMOND_FLEET"] ?? "";
    await scene.project.write("url", `${given.url}\n`);
    await scene.project.write("keys/raymond-fleet", given.url);
    await scene.worker("m1", ...flags(given.url));

    const seen = await seenBy(scene);

    expect(passwordOf(scene)).not.toBe("");
    expect(seen).toContain("worker");
    expect(seen).not.toContain(passwordOf(scene));
  });

  itNeeds(
    ROOT,
    "runs as the user that --step-user names, and can read nothing of the worker",
    async () => {
      const secret = "sk-secret";
      const scene = await fleetScene(
        {
          "w/1_START.sh": `${SPY.replace(/echo "<result>.*/, "")}
echo here > file; cat "$ACCOUNTS" >> seen 2>&1; echo "$HOME" | tee -a seen /dev/stderr
echo "<call return=\\"3_END.sh\\">2_WORK.sh</call>"`,
          "w/2_WORK.sh": `echo "<result>$(id -un)</result>"`,
          "w/3_END.sh": `cat "$RAYMOND_RESULT_FILE" > result; echo "<result>$(cat result) $(stat -c %U file)</result>"`,
          "accounts.toml": `[accounts.team.env]\nANTHROPIC_API_KEY = "${secret}"\n`,
        },
        { envOf: (_, { dir }) => ({ ACCOUNTS: path.join(dir, "accounts.toml") }) },
      );
      const { project } = scene;
      await chmod(path.dirname(project.dir), 0o711);
      await chmod(project.dir, 0o711);
      await chmod(path.join(project.dir, "accounts.toml"), 0o600);
      await scene.worker("m1", "--step-user", "nobody", "--accounts", "accounts.toml");

      const id = await scene.submit("w");
      await scene.rowOf(id, completed);

      const [workspace = ""] = await readdir(path.join(project.dir, "m1/fleet/workspaces"));
      const seen = await project.read(`m1/fleet/workspaces/${workspace}/seen`);
      const { stdout } = await scene.call("status", id, "--json");
      expect(stdout).toContain('"nobody nobody"');
      expect(seen).toContain("Permission denied");
      expect(seen).not.toContain(passwordOf(scene));
      expect(seen).not.toContain(secret);
      expect((await stat(path.join(project.dir, "m1"))).mode & 0o077).toBe(0o010);
    },
  );

  itNeeds(
    ROOT,
    "is refused the user that could read the credentials, or that nobody is",
    async () => {
      const scene = await fleetScene({ "accounts.toml": "[accounts.team]\n" });
      const { dir } = scene.project;
      for (const folder of [path.dirname(dir), dir]) await chmod(folder, 0o711);
      await chmod(path.join(dir, "accounts.toml"), 0o644);
      const worker = (user: string) =>
        scene.call(
          "worker",
          "--step-user",
          user,
          "--accounts",
          "accounts.toml",
          "--state-dir",
          "m1",
        );

      expect((await worker("nobody")).stderr).toMatch(/that user can read .*accounts\.toml/);
      expect((await worker("no-such-user")).stderr).toContain("there is no such user");
      expect((await worker("root")).stderr).toContain("that is root itself");
    },
  );
});
