import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { expect, it, onTestFinished } from "vitest";
import { raymond } from "../../support/cli.ts";
import { testRepository } from "../../support/fleet/repository.ts";
import { describeNeeds, itNeeds, PROC } from "../../support/needs.ts";
import { until } from "../../support/until.ts";
import { fleetScene, type Scene } from "./scene.ts";
import { completed } from "./waiting.ts";

/** Prints everything that a step can read about the worker and its parent. */
const SPY = `{ env
for pid in $PPID $(sed -n 's/^PPid:\\t//p' /proc/$PPID/status); do
  tr '\\0' '\\n' < /proc/$pid/environ; tr '\\0' ' ' < /proc/$pid/cmdline
  for file in /proc/$pid/fd/*; do readlink "$file"; done
done; } > seen 2>&1
echo "<result>$(id -un)</result>"`;

const ROOT = { met: process.getuid?.() === 0, reason: "this is not root" };

/** The password of the fleet's database. */
function passwordOf({ project }: Scene): string {
  return new URL(project.env["RAYMOND_FLEET"] ?? "").password;
}

/** Runs `w` to its end. Resolves with the output of its step. */
async function seenBy(scene: Scene): Promise<string> {
  const id = await scene.submit("w", "--folder", scene.project.dir);
  await scene.rowOf(id, completed);
  return scene.project.read("seen");
}

describeNeeds(PROC, "a step of a fleet", () => {
  it.each([
    ["a file", { RAYMOND_FLEET: "", RAYMOND_FLEET_FILE: "url" }],
    ["a systemd credential", { RAYMOND_FLEET: "", CREDENTIALS_DIRECTORY: "keys" }],
  ])("finds the password of the database nowhere that was given by %s", async (_, env) => {
    const scene = await fleetScene({ "w/START.sh": SPY }, { envOf: () => env });
    const url = scene.project.env["RAYMOND_FLEET"] ?? "";
    await scene.project.write("url", `${url}\n`);
    await scene.project.write("keys/raymond-fleet", url);
    await scene.worker("m1");

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
    "works as the step user in a git workspace, on two machines, with a remote of that user",
    async () => {
      const commits = "git -c user.name=she -c user.email=she@localhost commit --quiet --message";
      // The folder `made` is empty: no snapshot contains it.
      const scene = await fleetScene({
        "w/1_START.sh": `echo one > one.txt; git add .; ${commits} one && echo two > two.txt; mkdir made
echo '<reset cd="made">2_MOVED.sh</reset>'`,
        "w/2_MOVED.sh": `[ -e "$FOLDER/go" ] || { touch "$FOLDER/waits/here"; exec sleep 600; }
echo three > three.txt; git status --porcelain > "$FOLDER/waits/status" 2>&1
echo "<result>$(id -un) $(git log -1 --format=%s) $(stat -c %U . ../one.txt ../.git/index | uniq)</result>"`,
      });
      const { project } = scene;
      const { dir } = project;
      const env = { ...project.env, FOLDER: dir };
      Object.assign(project, { env });
      for (const folder of [path.dirname(dir), dir]) await chmod(folder, 0o711);
      await mkdir(path.join(dir, "waits"));
      await execa("chown", ["nobody", path.join(dir, "waits")]);
      const { remote, clone, inRemote } = await testRepository(path.join(dir, "git"), {
        "README.md": "read me\n",
      });
      await execa("chown", ["--recursive", "nobody", remote]);
      // git rejects local repositories of other users.
      await project.write("../home/.gitconfig", `[safe]\n\tdirectory = ${remote}\n`);
      // Files that a worker creates with this umask are only readable by root.
      const umask = process.umask(0o077);
      onTestFinished(() => {
        process.umask(umask);
      });
      const first = await scene.worker("m1", "--step-user", "nobody");
      const words = ["submit", path.join(dir, "w"), "--workspace", "git"];
      const submitted = await raymond([...words, "--failover-after", "1s"], {
        project,
        cwd: clone,
      });
      expect(submitted.stderr).toContain("refs/raymond");
      const id = submitted.stdout.trim();
      await project.fileWith("waits/here", () => true);
      first.kill("SIGKILL");
      await project.write("go", "");
      await scene.worker("m2", "--step-user", "nobody");
      await scene.rowOf(id, completed);

      const { stdout } = await scene.call("status", id, "--json");
      expect(stdout).toContain('"nobody one nobody"');
      expect(await project.read("waits/status")).toBe("?? made/\n?? two.txt\n");
      const files = await inRemote(
        "--git-dir=.",
        "ls-tree",
        "-r",
        "--name-only",
        `refs/raymond/${id}/main`,
      );
      expect(files.split("\n")).toEqual(["README.md", "made/three.txt", "one.txt", "two.txt"]);
    },
  );

  itNeeds(
    ROOT,
    "rejects a user that could read the credentials, or that does not exist",
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
      expect((await worker("no-such-user")).stderr).toContain("has no such user");
      expect((await worker("root")).stderr).toContain("that is root itself");
    },
  );
});

it("a value of env_secret that a step prints is in no row of the database", async () => {
  const secret = "pa55-w0rd-of-the-team";
  const scene = await fleetScene(
    {
      "w/1_START.sh": `echo "it is $MY_TOKEN"; echo "it is $MY_TOKEN" >&2; echo "<ask next=\\"2_END\\">Is it $MY_TOKEN?</ask>"`,
      "w/2_END.sh": `echo "bad: $MY_TOKEN $RAYMOND_INPUT"; exit 3`,
    },
    { envOf: () => ({ MY_TOKEN: secret }) },
  );
  const { database } = scene;
  await scene.worker("m1");
  const id = await scene.submit("w", "--env-secret", "MY_TOKEN", "--on-ask", "wait");
  await until("the question", async () => {
    const { stdout } = await scene.call("status", id);
    return stdout.includes("***MY_TOKEN***") ? true : undefined;
  });
  await scene.call("answer", id, "yes");
  await scene.rowOf(id, ({ status }) => status === "failed");

  const tables = await database.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('raymond', 'dbos')",
  );
  expect(tables.length).toBeGreaterThan(15);
  const rows = await Promise.all(
    tables.map(({ name }) =>
      database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`),
    ),
  );
  const text = rows
    .flat()
    .map(({ row }) => row)
    .join("\n");
  expect(text).toContain("***MY_TOKEN***");
  expect(text).not.toContain(secret);
});
