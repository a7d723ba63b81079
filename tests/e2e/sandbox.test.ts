import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { debianProgram } from "../support/debian-program.ts";
import { describeNeeds, PROC } from "../support/needs.ts";
import { gitScene } from "./git-scene.ts";
import { refusal, resultScript, type Scene, scene } from "./scene.ts";

const BUBBLEWRAP = await debianProgram("bwrap", "bubblewrap");
const LINUX_WITH_BUBBLEWRAP = PROC.met ? BUBBLEWRAP : PROC;

/** Runs the workflow `flow` of one script. */
async function run(script: string, flags = "", files: Readonly<Record<string, string>> = {}) {
  const made = await scene({ "flow/START.sh": script, ...files });
  return {
    ...made,
    result: await made.raymond(`flow ${flags}`.trim().split(" ")),
  };
}

function has({ project }: Pick<Scene, "project">, file: string): boolean {
  return existsSync(path.join(project.dir, file));
}

/** A script that tries to write to these paths and returns those that it could write to. */
function writes(...paths: readonly string[]): string {
  const tries = paths.map(
    (each) => `if echo x 2>/dev/null > "${each}"; then done="$done ${each}"; fi`,
  );
  return `${tries.join("\n")}\n${resultScript("wrote$done")}`;
}

describeNeeds(LINUX_WITH_BUBBLEWRAP, "a sandboxed script", () => {
  it("changes only the folders that its state names", async () => {
    const outside = `/var/tmp/raymond-sandbox-${String(process.pid)}`;
    const { result, project } = await run(
      `# raymond: sandbox=write:dist\n${writes("dist/a", "b", "$HOME/c", outside)}`,
      "",
      { "dist/.keep": "" },
    );

    expect(result.stdout).toContain(`wrote dist/a`);
    expect(result.exitCode).toBe(0);
    expect(has({ project }, "dist/a")).toBe(true);
    expect(has({ project }, "b")).toBe(false);
    expect(existsSync(outside)).toBe(false);
  });

  it("has the sandbox of workflow.yaml unless its state declares one, within that of the user", async () => {
    const limits = "sandbox: { write: [a, b] }\n";
    const files = { "a/.keep": "", "b/.keep": "", "flow/workflow.yaml": limits };
    const script = writes("a/x", "b/x", "x");

    expect((await run(script, "", files)).result.stdout).toMatch(/wrote a\/x b\/x$/m);
    expect((await run(script, "--sandbox write:b", files)).result.stdout).toMatch(/wrote b\/x$/m);
    const own = `# raymond: sandbox=write:a\n${script}`;
    expect((await run(own, "", files)).result.stdout).toMatch(/wrote a\/x$/m);
  });

  it("has an empty /tmp of its own", async () => {
    const { result } = await run(
      `# raymond: sandbox=on\nls -d /tmp/raymond-sandbox-* 2>/dev/null; mktemp > /dev/null && touch /tmp/raymond-sandbox-x\n${resultScript("$TMPDIR $(ls -d /tmp/raymond-sandbox-*)")}`,
    );
    const again = await run(
      `# raymond: sandbox=on\n${resultScript("$(ls -d /tmp/raymond-sandbox-* 2>/dev/null | wc -l)")}`,
    );

    expect(result.stdout).toContain("/tmp /tmp/raymond-sandbox-x");
    expect(again.result.stdout).toMatch(/^\s*0$/m);
  });

  it("sees no other process, and no service that runs commands", async () => {
    const { result } = await run(
      `# raymond: sandbox=on\n${resultScript("$(ls /run | wc -l) $(grep -l 'raymond[.]js' /proc/[0-9]*/cmdline 2>/dev/null | wc -l)")}`,
    );

    expect(result.stdout).toMatch(/^\s*0 0$/m);
  });

  it("reaches no server without network, and reaches it with", async () => {
    const server = createServer((socket) => socket.end("hello\n"));
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const script = (limits: string) =>
      `# raymond: sandbox=${limits}\nread -r word 2>/dev/null < /dev/tcp/127.0.0.1/${String(port)}\n${resultScript("got:$word")}`;

    const without = await run(script("network:off"));
    const with_ = await run(script("on"));

    expect(without.result.stdout).toMatch(/got:$/m);
    expect(with_.result.stdout).toContain("got:hello");
  });

  it("cannot change the workflow, the state folder and the hooks of git in its writable folder", async () => {
    const { result } = await run(
      `# raymond: sandbox=on\n${writes("ok", "flow/NEXT.sh", ".raymond/config.toml", ".git/hooks/pre-commit", ".git/config")}`,
      "",
      { ".git/hooks/.keep": "", ".git/config": "", ".raymond/config.toml": "[raymond]\n" },
    );

    expect(result.stdout).toMatch(/wrote ok$/m);
  });

  it("changes no more than the settings of the user allow, whatever its state says", async () => {
    const files = { "a/.keep": "", "b/.keep": "" };
    const script = `# raymond: sandbox=write:a,write:b,network:on\n${writes("a/x", "b/x", "x")}`;

    const { result } = await run(script, "--sandbox write:b", files);

    expect(result.stdout).toMatch(/wrote b\/x$/m);
  });

  it("is restricted by config.toml, relative to the project", async () => {
    const { result } = await run(writes("a/x", "b/x"), "", {
      "a/.keep": "",
      "b/.keep": "",
      ".raymond/config.toml": '[raymond]\nsandbox = { write = ["a"], network = "off" }\n',
    });

    expect(result.stdout).toMatch(/wrote a\/x$/m);
  });

  it("receives the pending result, and its exit code and signals are those of the script", async () => {
    const { raymond, project } = await scene({
      "flow/START.sh": "echo '<function return=NEXT>GIVE</function>'\n",
      "flow/GIVE.sh": resultScript("given"),
      "flow/NEXT.sh": '# raymond: sandbox=on\ncat "$RAYMOND_RESULT_FILE"; exit 7\n',
    });
    await project.write("flow/START.sh", "echo '<function return=\"NEXT\">GIVE</function>'\n");

    const { stderr } = await raymond("flow");

    expect(stderr).toContain("failed with exit code 7");
  });

  it("is ended with all its processes by its time limit", async () => {
    const { result } = await run(
      "# raymond: sandbox=on timeout=1s\nsleep 4321 &\ntrap '' TERM\nsleep 4321\n",
    );

    expect(result.stderr).toContain("did not end within 1s");
    const left = await run(
      resultScript("$(grep -al 'sleep.432[1]' /proc/[0-9]*/cmdline 2>/dev/null | wc -l)"),
    );
    expect(left.result.stdout).toMatch(/^\s*0$/m);
  });

  it("is not started if a link of the repository leads out of the working folder", async () => {
    const { raymond, project } = await scene({
      "flow/START.sh": `# raymond: sandbox=write:link\n${writes("link/x")}`,
    });
    await mkdir(path.join(project.dir, "..", "elsewhere"), { recursive: true });
    await symlink("/var", path.join(project.dir, "link"));

    const { stderr, exitCode } = await raymond("flow");

    expect(stderr).toContain("sandbox.write names link, which leads to /var");
    expect(exitCode).not.toBe(0);
  });

  it("is not started if a link of the repository is in the place of a folder of the user's setting", async () => {
    const { raymond, project } = await scene({
      "flow/START.sh": `# raymond: sandbox=write:/\n${writes("link/x")}`,
    });
    const elsewhere = path.join(project.dir, "..", "elsewhere");
    await mkdir(elsewhere, { recursive: true });
    await symlink(elsewhere, path.join(project.dir, "link"));

    const refused = await raymond("flow --sandbox write:link");

    expect(refused.stderr).toContain("sandbox.write names");
    expect(refused.stderr).toContain("outside of the launch folder");
    expect(refused.exitCode).toBe(1);
    expect(existsSync(path.join(elsewhere, "x"))).toBe(false);
    expect((await raymond(["flow", "--sandbox", `write:${elsewhere}`])).exitCode).toBe(0);
  });

  it("is not started if a folder is missing", async () => {
    const { result } = await run(`# raymond: sandbox=write:dist\n${writes("dist/a")}`);

    expect(result.stderr).toContain("sandbox.write names dist");
    expect(result.stderr).toContain("Create it");
  });
});

describe("a sandbox that the system does not have", () => {
  it("is a failure that says what to install, and the script is not started", async () => {
    const { raymond, project } = await scene({
      "flow/START.sh": "# raymond: sandbox=on\ntouch started\n",
    });

    const { stderr, exitCode } = await raymond("flow", {
      env: { PATH: project.dir },
    });

    expect(stderr).toContain("there is no bwrap on PATH");
    expect(stderr).toContain("apt install bubblewrap");
    expect(exitCode).not.toBe(0);
    expect(has({ project }, "started")).toBe(false);
  });
});

describeNeeds(LINUX_WITH_BUBBLEWRAP, "a sandboxed script in a worktree", () => {
  /** `.git` names the git directory, whose configuration makes git run programs. */
  const TRIES = writes("dist/a", "b", ".git");
  const ALL = writes("a", ".git");

  it("changes its own copy of a relative path of the user, and not the checkout", async () => {
    const { raymond, git } = await gitScene({ "dist/.keep": "", "flow/START.sh": TRIES });

    const done = await raymond("flow --worktree --run-id one --sandbox write:dist");

    expect(done.stdout).toMatch(/wrote dist\/a$/m);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("diff", "--name-only", "main", "raymond/one")).toBe("dist/a");
  });

  it("changes its worktree with sandbox=on, except the file that names the git directory", async () => {
    const { raymond, git } = await gitScene({ "flow/START.sh": ALL });

    const done = await raymond("flow --worktree --run-id one --sandbox on");

    expect(done.stdout).toMatch(/wrote a$/m);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("diff", "--name-only", "main", "raymond/one")).toBe("a");
  });

  it("does so in the worktree of an agent, and of an agent that it forks", async () => {
    const { raymond, git } = await gitScene({
      "dist/.keep": "",
      "flow/START.sh": "echo '<fork worktree=\"x\">OUTER</fork>'\necho '<join>END</join>'\n",
      "flow/OUTER.sh": "echo '<fork worktree=\"y\">INNER</fork>'\necho '<join>BACK</join>'\n",
      "flow/INNER.sh": TRIES,
      "flow/BACK.sh": TRIES,
      "flow/END.sh": resultScript("done"),
    });

    const done = await raymond("flow --run-id one --sandbox write:dist");

    expect(done.exitCode).toBe(0);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("diff", "--name-only", "main", "raymond/x")).toBe("dist/a");
    expect(git("diff", "--name-only", "main", "raymond/y")).toBe("dist/a");
  });

  it("does not change the target of a link in the repository", async () => {
    const { raymond, git, project } = await gitScene({ "flow/START.sh": TRIES });
    await mkdir(path.join(project.home, "keys"));
    await symlink(path.join(project.home, "keys"), path.join(project.dir, "dist"));
    git("add", "dist");
    git("commit", "--quiet", "-m", "link");

    const done = await raymond("flow --worktree --sandbox write:dist");

    expect(refusal(done)).toContain("sandbox.write names");
    expect(existsSync(path.join(project.home, "keys", "a"))).toBe(false);
  });
});
