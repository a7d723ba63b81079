import { existsSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { debianProgram } from "../support/debian-program.ts";
import { describeNeeds, PROC } from "../support/needs.ts";
import { gitScene } from "./git-scene.ts";
import { resultScript, scene } from "./scene.ts";

const BUBBLEWRAP = PROC.met ? await debianProgram("bwrap", "bubblewrap") : PROC;

const GOOD = "echo '<result>good</result>'\n";
/** Lines of a script that put another `NEXT.sh` in the place of the one in `$1`. */
const REPLACE = `replace() {
  mkdir -p "$1" && echo 'touch escaped; echo "<result>replaced</result>"' > "$1/NEXT.sh"
}\n`;
const END = "echo '<goto>NEXT</goto>'\n";

/** A sandboxed step that tries `script`, and the next one, which has no sandbox. */
function attack(folder: string, script: string, more: Readonly<Record<string, string>> = {}) {
  return gitScene({
    [`${folder}/START.sh`]: `# raymond: sandbox=on\n${REPLACE}exec 2>/dev/null\n${script}\n${END}`,
    [`${folder}/NEXT.sh`]: GOOD,
    ...more,
  });
}

/** docs/sandbox.md, "Sandbox". */
describeNeeds(BUBBLEWRAP, "a sandboxed script", () => {
  it.each([
    ["flow", "mv flow .w; replace flow"],
    ["flow", "rm -rf flow; replace flow"],
    ["flow", "ln flow/NEXT.sh x && echo 'touch escaped' > x; cp -l flow/NEXT.sh y"],
    ["flow", "chmod u+w flow/NEXT.sh; echo 'touch escaped' >> flow/NEXT.sh"],
    ["a/flow", "mv a .a; replace a/flow"],
    ["a/flow", "mkdir b; mv -T b a; mv a c; ln -s c a; replace a/flow"],
    ["a/b/c/flow", "mv a/b .b; replace a/b/c/flow"],
    ["a/b/c/flow", "mv a/b/c/flow .f; mv a/b/c .c; mv a .a; replace a/b/c/flow"],
    ["a/b/c/flow", "rm -rf a; replace a/b/c/flow"],
  ])("cannot replace the next script in %s: %s", async (folder, script) => {
    const { raymond, project } = await attack(folder, script);

    const end = await raymond(folder);

    expect(end).toMatchObject({ exitCode: 0, stdout: "good\n" });
    expect(existsSync(path.join(project.dir, "escaped"))).toBe(false);
  });

  it("cannot replace a workflow that is inside of another folder to write", async () => {
    const { raymond, project } = await attack("a/flow", "mv a .a; replace a/flow", {
      "out/.keep": "",
    });

    const end = await raymond("a/flow --sandbox write:.,write:out,write:a");

    expect(end).toMatchObject({ exitCode: 0, stdout: "good\n" });
    expect(existsSync(path.join(project.dir, "escaped"))).toBe(false);
  });

  it("cannot replace .git, its hooks and its configuration", async () => {
    const script = `mv .git .g; mkdir -p .git/hooks
      echo x > .git/hooks/pre-commit; mv .git/hooks .git/h; echo x >> .git/config
      mv .git/config .git/c; ln .git/config y && echo x >> y; touch written`;
    const { raymond, project, git } = await attack("flow", script, { "x/.keep": "" });
    await mkdir(path.join(project.dir, ".git", "hooks"), { recursive: true });
    const config = await project.read(".git/config");

    expect((await raymond("flow")).exitCode).toBe(0);

    expect(existsSync(path.join(project.dir, "written"))).toBe(true);
    expect(await project.read(".git/config")).toBe(config);
    expect(existsSync(path.join(project.dir, ".git/hooks/pre-commit"))).toBe(false);
    expect(existsSync(path.join(project.dir, ".g"))).toBe(false);
    expect(git("status", "--porcelain")).toContain("written");
  });

  it("cannot create hooks and a configuration of git that do not exist", async () => {
    const script = "echo x > .git/hooks/pre-commit; echo x > .git/config.worktree; touch written";
    const { raymond, project, git } = await attack("flow", script);
    await rm(path.join(project.dir, ".git", "hooks"), { recursive: true });

    expect((await raymond("flow")).exitCode).toBe(0);

    expect(existsSync(path.join(project.dir, "written"))).toBe(true);
    expect(existsSync(path.join(project.dir, ".git/hooks/pre-commit"))).toBe(false);
    expect(await project.read(".git/config.worktree")).toBe("");
    expect(git("status", "--porcelain")).toContain("written");
  });

  it("can commit, and change files next to protected ones", async () => {
    const script = `touch a/b/new a/new; mv a/new a/moved
      git -c user.name=T -c user.email=t@localhost commit -q --allow-empty -m second`;
    const { raymond, project, git } = await attack("a/b/flow", script);

    expect((await raymond("a/b/flow")).exitCode).toBe(0);

    expect(existsSync(path.join(project.dir, "a/b/new"))).toBe(true);
    expect(existsSync(path.join(project.dir, "a/moved"))).toBe(true);
    expect(git("log", "--format=%s", "-1")).toBe("second");
  });

  it("cannot replace the file .git of a worktree of the user", async () => {
    const script = "mv .git .g; rm -f .git; echo 'gitdir: evil' > .git; touch written";
    const { raymond, project, git } = await attack("flow", script);
    const tree = path.join(project.dir, "..", "tree");
    git("worktree", "add", "--quiet", tree);
    onTestFinished(() => rm(tree, { recursive: true, force: true }));

    expect((await raymond("flow", { cwd: tree })).exitCode).toBe(0);

    expect(existsSync(path.join(tree, "written"))).toBe(true);
    expect(git("-C", tree, "rev-parse", "--git-dir")).toContain("worktrees/tree");
  });

  it("is not started if it could exchange a link on the way to the workflow", async () => {
    const { raymond, project } = await scene({
      "real/START.sh": `# raymond: sandbox=on\ntouch started\n${GOOD}`,
    });
    await symlink("real", path.join(project.dir, "flow"));

    const end = await raymond("flow");

    expect(end.stderr).toContain("because the step may exchange the link");
    expect(end.stderr).toContain("Use the path without links");
    expect(existsSync(path.join(project.dir, "started"))).toBe(false);
    expect((await raymond("real")).exitCode).toBe(0);
  });

  it("does not get a folder of the user's setting that a step has exchanged for a link", async () => {
    const { raymond, project } = await scene({
      "out/sub/.keep": "",
      "flow/START.sh": `# raymond: sandbox=on\nrmdir out/sub/* 2>/dev/null; rm -rf out/sub; ln -s "$HOME" out/sub\n${END}`,
      "flow/NEXT.sh": `touch out/sub/x\n${GOOD}`,
    });
    const out = path.join(project.dir, "out");

    const end = await raymond(["flow", "--sandbox", `write:${out},write:${out}/sub,write:.`]);

    expect(existsSync(path.join(project.home, "x"))).toBe(false);
    // A mount point cannot be exchanged.
    expect(end).toMatchObject({ exitCode: 0 });
  });
});

describeNeeds(BUBBLEWRAP, "the working folder of a sandboxed script", () => {
  /** A step that chooses the folder of the next one. */
  function inFolder(folder: string, flags = "", script = "") {
    return scene({
      "flow/START.sh": `${script}\necho '<reset cd="${folder}">NEXT</reset>'\n`,
      "flow/NEXT.sh": `# raymond: sandbox=on\ntouch "$RAYMOND_TEST_PROJECT/x"; touch started\n${GOOD}`,
    }).then(async (made) => ({ ...made, end: await made.raymond(`flow ${flags}`.trim()) }));
  }

  it.each([
    "/run",
    "/tmp",
    "/var/tmp",
    "/var",
    "/",
    "/proc",
    "/proc/self/cwd/..",
    "/dev",
    "/dev/shm",
  ])("cannot be %s, which it hides or which contains a hidden folder", async (folder) => {
    const { end } = await inFolder(folder);

    expect(end.exitCode).toBe(1);
    expect(end.stderr).toMatch(/the script was not started: a sandbox hides \//);
    expect(existsSync(path.join(folder, "started"))).toBe(false);
  });

  it("cannot be a link to a hidden folder", async () => {
    const { end } = await inFolder("link", "", "ln -s /run link");

    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain("a sandbox hides /run, so the step cannot work in /run");
  });

  it("cannot be a folder inside of a hidden one, unless the user allows to change it", async () => {
    const folder = await mkdtemp("/var/tmp/raymond-cd-");
    onTestFinished(() => rm(folder, { recursive: true, force: true }));

    const refused = await inFolder(folder);
    const allowed = await inFolder(folder, `--sandbox write:${folder}`);

    expect(refused.end.stderr).toContain(`add it to your setting sandbox: write:${folder}`);
    expect(allowed.end.exitCode).toBe(0);
    expect(existsSync(path.join(folder, "started"))).toBe(true);
  });

  it("can be a folder below the launch folder, also if that is inside of a hidden folder", async () => {
    const made = await scene({
      "sub/.keep": "",
      "flow/START.sh": "echo '<reset cd=\"sub\">NEXT</reset>'\n",
      "flow/NEXT.sh": `# raymond: sandbox=on\ntouch started\n${GOOD}`,
    });

    expect((await made.raymond("flow")).exitCode).toBe(0);
    expect(realpathSync(made.project.dir)).toMatch(/^\/(?:var\/)?tmp\//);
    expect(existsSync(path.join(made.project.dir, "sub/started"))).toBe(true);
  });

  it("shows no service of a hidden folder to a step that may change everything", async () => {
    const socket = `/run/raymond-test-${String(process.pid)}.sock`;
    const server = createServer((each) => each.end());
    await new Promise<void>((ready) => server.listen(socket, ready));
    onTestFinished(() => void server.close());
    const { raymond } = await scene({
      "flow/START.sh": resultScript(`$(ls ${socket} 2>/dev/null) $(ls /run | wc -l)`),
    });

    expect((await raymond("flow --sandbox write:/")).stdout).toMatch(/^ 0$/m);
    const refused = await raymond("flow --sandbox write:/run");
    expect(refused.stderr).toContain("sandbox.write names /run, which a sandbox hides");
  });
});

describe("a state in a sandbox", () => {
  it("that is a prompt cannot work in a hidden folder either", async () => {
    const { raymond, calls } = await scene({
      "flow/START.sh": "echo '<reset cd=\"/run\">NEXT</reset>'\n",
      "flow/NEXT.md": "---\nsandbox: on\n---\nwork\n",
    });

    const end = await raymond("flow");

    expect(end.stderr).toContain("a sandbox hides /run, so the step cannot work in /run");
    expect(await calls()).toHaveLength(0);
  });
});
