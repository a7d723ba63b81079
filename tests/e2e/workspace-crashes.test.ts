import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { gitScene } from "./git-scene.ts";

/**
 * A `git` that kills its caller with SIGKILL at its call number `at`, before or after git itself has run. The file
 * `calls` counts the calls, so that the resumed run is not killed again.
 */
async function killingGit(all: Awaited<ReturnType<typeof gitScene>>, at: number, when: string) {
  const folder = path.join(all.project.home, "bin");
  const calls = path.join(all.project.home, "calls");
  const real = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .map((each) => path.join(each, "git"))
    .find(existsSync);
  const text = `#!/bin/bash
echo $$ >>'${calls}'
n=$(grep -n "^$$$" '${calls}' | tail -n 1 | cut -d : -f 1)
if [ "$n" = ${String(at)} ] && [ ${when} = before ]; then kill -KILL $PPID; exit 1; fi
'${String(real)}' "$@"
code=$?
if [ "$n" = ${String(at)} ]; then kill -KILL $PPID; fi
exit $code
`;
  await all.project.write(path.relative(all.project.dir, path.join(folder, "git")), text);
  await chmod(path.join(folder, "git"), 0o755);
  return { PATH: `${folder}${path.delimiter}${process.env["PATH"] ?? ""}` };
}

const WORK = {
  "w/START.sh": "echo one >>log\necho one >one\necho '<goto>NEXT</goto>'\n",
  "w/NEXT.sh": "echo two >>log\necho two >two\necho '<result>ok</result>'\n",
};

/** The points of a run with two steps and a worktree that are tried: more of them with RAYMOND_CRASH_POINTS=all. */
const CALLS = process.env["RAYMOND_CRASH_POINTS"] === "all" ? 40 : 3;
const points = Array.from({ length: CALLS }, (_, at) => [
  [at * (CALLS > 20 ? 1 : 7) + 1, "before"] as const,
  [at * (CALLS > 20 ? 1 : 7) + 4, "after"] as const,
]).flat();

describe("a run in a worktree that is killed with -9", () => {
  it.each(points)("at git call %d, %s it, loses no change and leaves no lock", async (at, when) => {
    const all = await gitScene(WORK);
    const { raymond, git } = all;
    const env = await killingGit(all, at, when);

    const first = await raymond("w --worktree work --run-id one --snapshots all", { env });
    expect(first.signal).toBe("SIGKILL");
    const isNew = !(await all.runs()).includes("one");
    if (!isNew) await raymond("resume one", { env });
    // A run that was never saved is started again.
    if (isNew) await raymond("w --worktree again --run-id one --snapshots all", { env });

    if (isNew) expect(git("branch", "--list", "raymond/work")).toBe("");
    const status = JSON.parse((await raymond("status one --json")).stdout) as Saved;
    if (status.status !== "completed") await raymond("resume one");
    const { folder, branch } = status.worktree;
    const place = existsSync(folder)
      ? git("-C", folder, "ls-files", "--others", "--exclude-standard")
      : "";
    const committed = git("ls-tree", "--name-only", branch);
    for (const file of ["one", "two"])
      expect(`${place}\n${committed}`).toMatch(new RegExp(`^${file}$`, "m"));
    expect(git("worktree", "list")).toContain(branch);
    expect(git("-C", folder, "status", "--porcelain")).toBe("");
    git("fsck", "--connectivity-only");
    expect(
      await all.project
        .list(".git")
        .then((files) => files.filter((file) => file.endsWith(".lock"))),
    ).toEqual([]);
  });
});

interface Saved {
  readonly status: string;
  readonly worktree: { readonly folder: string; readonly branch: string };
}

const FORK = {
  "w/START.sh": `echo dirty >dirty
echo '<fork worktree="a" on_error="report">WORK</fork>'
echo '<fork worktree="true">IDLE</fork>'
echo '<join>MERGE</join>'
`,
  "w/WORK.sh": "cat dirty >copy\necho '<result>work</result>'\n",
  "w/IDLE.sh": "echo '<result>idle</result>'\n",
  "w/MERGE.sh": `node -e '
const all = JSON.parse(process.env.RAYMOND_RESULT).map((each) => each.branch);
console.log("<result>" + JSON.stringify(all) + "</result>")'`,
};

const EVERY = process.env["RAYMOND_CRASH_POINTS"] === "all";
const moments = Array.from({ length: EVERY ? 50 : 4 }, (_, at) => [
  [at * (EVERY ? 1 : 12) + 2, "before"] as const,
  [at * (EVERY ? 1 : 12) + 8, "after"] as const,
]).flat();

describe("a run with agents in worktrees that is killed with -9", () => {
  it.each(moments)(
    "at git call %d, %s it, commits the work of each agent once",
    async (at, when) => {
      const all = await gitScene(FORK);
      const { raymond, git } = all;
      const env = await killingGit(all, at, when);

      const first = await raymond("w --run-id one --snapshots off", { env });
      if (first.signal === "SIGKILL") await raymond("resume one", { env });

      const { status, results } = JSON.parse((await raymond("status one --json")).stdout) as Ended;
      expect(status).toBe("completed");
      expect(JSON.parse(results.main)).toEqual(["raymond/a", null]);
      expect(git("show", "raymond/a:copy")).toBe("dirty");
      expect(git("log", "--oneline", "main..raymond/a").split("\n")).toHaveLength(2);
      expect(git("branch", "--list", "raymond/*").split("\n")).toHaveLength(1);
      expect(git("worktree", "list").split("\n")).toHaveLength(1);
      expect(git("status", "--porcelain")).toBe("?? dirty");
      git("fsck", "--connectivity-only");
      const files = await all.project.list(".git");
      expect(files.filter((file) => file.endsWith(".lock"))).toEqual([]);
    },
  );
});

interface Ended {
  readonly status: string;
  readonly results: { readonly main: string };
}
