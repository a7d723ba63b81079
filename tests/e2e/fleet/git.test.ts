import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { raymond } from "../../support/cli.ts";
import { testRepository } from "../../support/fleet/repository.ts";
import { fleetScene } from "./scene.ts";

/** Each step writes a file. The third one writes half of it, then waits for the file `go` next to the project. */
const STEPS = {
  "w/1_START.sh": writing(
    "one",
    "2_NEXT.sh",
    'mkdir -p made && echo "kept" > made/deep.txt; echo gone > made/x.tmp',
  ),
  "w/2_NEXT.sh": writing(
    "two",
    '<reset cd="made">3_WAIT.sh</reset>',
    "git rm -q ../README.md; git commit -qm removed",
  ),
  "w/3_WAIT.sh": writing(
    "three",
    "4_END.sh",
    'touch half-$$; echo half >> "$FOLDER/waits"; until [ -e "$FOLDER/go" ]; do sleep 0.2; done',
  ),
  "w/4_END.sh": writing("four", "<result>done</result>", ":"),
};

function writing(name: string, next: string, script: string): string {
  const tag = next.startsWith("<") ? next : `<goto>${next}</goto>`;
  return [
    `echo ${name} >> "$FOLDER/steps"`,
    script,
    `echo ${name} > ${name}.txt`,
    `cat <<'TAG'\n${tag}\nTAG`,
  ].join("\n");
}

const completed = ({ status }: { readonly status: string }) => {
  if (status === "failed") throw new Error("the run has failed");
  return status === "completed";
};

describe("a run in a git workspace", () => {
  it("continues on another machine with exactly the files of recorded steps", async () => {
    const scene = await fleetScene(STEPS);
    const { project } = scene;
    const env = {
      ...{ FOLDER: project.dir, GIT_AUTHOR_NAME: "she", GIT_AUTHOR_EMAIL: "she@localhost" },
      ...{ GIT_COMMITTER_NAME: "she", GIT_COMMITTER_EMAIL: "she@localhost" },
    };
    Object.assign(project, { env: { ...project.env, ...env } });
    const { clone, remote, inRemote, git } = await testRepository(path.join(project.dir, "git"), {
      "README.md": "read me\n",
      ".gitignore": "*.tmp\n",
      "app/main.txt": "main\n",
    });
    const workers = { m1: await scene.worker("m1"), m2: await scene.worker("m2") };
    const words = ["submit", path.join(project.dir, "w"), "--workspace", "git"];
    const submitted = await raymond([...words, "--failover-after", "1s"], {
      project,
      cwd: path.join(clone, "app"),
    });
    const id = submitted.stdout.trim();
    await project.fileWith("waits");
    const { home } = await scene.rowOf(id, (row) => row.home !== null);
    const other = home === "m1" ? "m2" : "m1";

    workers[home as "m1"].kill("SIGKILL");
    await scene.rowOf(id, (row) => row.home === other);
    await project.fileWith("waits", (text) => text.split("half").length > 2);
    const there = path.join(project.dir, other, "fleet", "workspaces", id);
    const taken = await inClone(there, "ls-files", "--cached", "--others");
    const log = await inClone(there, "log", "-2", "--format=%s %an");
    await project.write("go", "");
    const row = await scene.rowOf(id, completed);

    expect(row.steps).toBe(4);
    expect(taken.split("\n").sort().map(named)).toEqual([
      ".gitignore",
      ...["app/made/deep.txt", "app/made/half", "app/main.txt", "app/one.txt", "app/two.txt"],
    ]);
    expect(log).toBe("removed she\nfirst Test");
    expect(await project.read("steps")).toBe("one\ntwo\nthree\nthree\nfour\n");
    expect(submitted.stderr).toContain(`git fetch ${remote} refs/raymond/${id}/main`);
    await git("fetch", "--quiet", remote, `refs/raymond/${id}/main`);
    const made = (await git("ls-tree", "-r", "--name-only", "FETCH_HEAD")).split("\n");
    expect(made.map(named)).toEqual([
      ...[".gitignore", "app/made/deep.txt", "app/made/four.txt", "app/made/half"],
      ...["app/made/three.txt", "app/main.txt", "app/one.txt", "app/two.txt"],
    ]);
    expect(await inRemote("for-each-ref", "--format=%(refname)", "refs/heads")).toBe(
      "refs/heads/main",
    );

    const pruned = await scene.call("prune", id, "--yes", "--worker-dir", other);
    expect(pruned.stderr).toContain("Freed: 1 run");
    expect(await inRemote("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    expect(existsSync(there)).toBe(false);
  });
});

/** Partial files contain the process number: there must be exactly one. */
function named(file: string): string {
  return file.replace(/half-\d+$/, "half");
}

async function inClone(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)("git", args, { cwd })).stdout.trim();
}
