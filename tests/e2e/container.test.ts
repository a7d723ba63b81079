import { existsSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { describeNeeds, itNeeds, onPath } from "../support/needs.ts";
import { IMAGE, openPodman, WITHOUT_BASH } from "../support/podman.ts";
import { resultScript, scene } from "./scene.ts";

const { need: PODMAN, env, podman, remove } = await openPodman();
afterAll(remove);

type Files = Readonly<Record<string, string>>;

/** Runs the workflow `flow` of one script. */
async function run(script: string, flags = "", files: Files = {}, added: Files = {}) {
  const made = await scene({ "flow/START.sh": script, ...files });
  const line = `flow ${flags}`.trim().split(" ");
  return { ...made, result: await made.raymond(line, { env: { ...env, ...added } }) };
}

/** A script in the image, with more settings in its directive. */
function inside(script: string, settings = ""): string {
  return `# raymond: container=${IMAGE} ${settings}\n${script}`;
}

/** A script that tries to write to these paths and returns those that it could write to. */
function writes(...paths: readonly string[]): string {
  const tries = paths.map(
    (each) => `if echo x 2>/dev/null > "${each}"; then done="$done ${each}"; fi`,
  );
  return `${tries.join("\n")}\n${resultScript("wrote$done")}`;
}

async function containers(): Promise<string> {
  return (await podman("ps", "--all", "--quiet")).trim();
}

describeNeeds(PODMAN, "a script in a container", () => {
  it("runs in the image, sees only the working folder, and writes to it as the user", async () => {
    const { result, project } = await run(
      inside(
        `echo x > made; [ -e "${import.meta.dirname}" ] && seen=yes\n${resultScript("$(cat /etc/image) $PWD $HOME $seen $(echo *)")}`,
      ),
    );

    expect(result.stdout).toContain(`the image ${project.dir} /tmp  flow made`);
    expect(statSync(path.join(project.dir, "made")).uid).toBe(process.getuid?.());
    expect(await containers()).toBe("");
  });

  it("runs in the image of the setting, with every script of the run", async () => {
    const { result } = await run(
      "cat /etc/image; echo '<goto>NEXT</goto>'\n",
      `--container ${IMAGE}`,
      { "flow/NEXT.sh": resultScript("$(cat /etc/image)") },
    );

    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(/^\s*the image$/m);
  });

  it("has no capabilities and cannot get any", async () => {
    const { result } = await run(
      inside(
        resultScript(
          "$(grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status | tr -s '\\n\\t' ' ')",
        ),
      ),
    );

    expect(result.stdout).toContain(
      "CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1",
    );
  });

  it("cannot change the workflow, the state folder and the hooks of git", async () => {
    const paths = ["ok", "flow/NEXT.sh", ".raymond/config.toml", ".git/hooks/x", ".git/config"];
    const { result } = await run(inside(writes(...paths)), "", {
      ".git/hooks/.keep": "",
      ".git/config": "",
      ".raymond/config.toml": "[raymond]\n",
    });

    expect(result.stdout).toMatch(/wrote ok$/m);
  });

  it("changes only what sandbox allows", async () => {
    const { result } = await run(inside(writes("dist/a", "b"), "sandbox=write:dist"), "", {
      "dist/.keep": "",
    });

    expect(result.stdout).toMatch(/wrote dist\/a$/m);
  });

  it("has no network with network:off", async () => {
    const { result } = await run(
      inside(resultScript("$(ls /sys/class/net | tr '\\n' ' ')"), "sandbox=network:off"),
    );

    expect(result.stdout).toMatch(/^\s*lo $/m);
  });

  it("receives the variables of raymond, attributes and passed variables unchanged, and no others", async () => {
    const { result, project } = await run(
      inside(
        resultScript(
          "$RAYMOND_AGENT_ID|$word|$PASSED|$SET|$(env | grep -cE '^(OTHER|CLAUDE_FAKE)=')",
        ),
        "env=PASSED",
      ),
      "--env-set SET=1=2 --var word=a'b$c",
      {},
      { PASSED: 'x "quoted"\n  lines', OTHER: "other" },
    );

    expect(result.stdout).toContain('main|a\'b$c|x "quoted"');
    expect(result.stdout).toContain("lines|1=2|0");
    const folder = path.join(project.dir, ".raymond", "debug");
    const names = await readdir(folder, { recursive: true });
    const texts = await Promise.all(
      names.map((name) => readFile(path.join(folder, name), "utf8").catch(() => "")),
    );
    const [meta = ""] = texts.filter((text) => text.includes("--cap-drop=ALL"));
    expect(meta).toContain(IMAGE);
    expect(meta).not.toContain("quoted");
  });

  it("cannot configure podman with its variables", async () => {
    const { result } = await run(inside(resultScript("$CONTAINERS_CONF $(cat /etc/image)")), "", {
      "flow/workflow.yaml": "env:\n  set: { CONTAINERS_CONF: /nowhere }\n",
    });

    expect(result.stdout).toContain("/nowhere the image");
  });

  it("receives the pending result in its file", async () => {
    const { raymond } = await scene({
      "flow/START.sh": "echo '<function return=\"NEXT\">GIVE</function>'\n",
      "flow/GIVE.sh": resultScript("given"),
      "flow/NEXT.sh": inside(resultScript('$(cat "$RAYMOND_RESULT_FILE")-$RAYMOND_RESULT')),
    });

    const { stdout } = await raymond("flow", { env });

    expect(stdout).toContain("given-given");
  });

  it.each([1, 125, 126, 127, 137])("fails with its own exit code %i", async (code) => {
    const { result } = await run(inside(`echo why >&2; exit ${String(code)}\n`));

    expect(result.stderr).toContain(`START.sh failed with exit code ${String(code)}`);
    expect(result.stderr).toContain("why");
    expect(result.stderr).not.toMatch(/raymond-[0-9a-f]{24}/);
  });

  it("is ended with its container by its time limit", async () => {
    const { result } = await run(
      inside("trap '' INT TERM\nsleep 4321 &\nsleep 4321\n", "timeout=2s"),
    );

    expect(result.stderr).toContain("did not end within 2s");
    expect(await containers()).toBe("");
  });

  it("receives the signal of Ctrl-C, and is resumed", async () => {
    const { start, raymond, project } = await scene({
      "flow/START.sh": inside(
        `[ -e again ] && { ${resultScript("twice").trim()}; exit; }\ntrap 'echo x > again; exit 1' INT\ntouch ready; sleep 4321 & wait\n`,
      ),
    });
    const first = start("flow --run-id r1", { env });
    await project.fileWith("ready");
    first.kill("SIGINT");

    expect((await first.exit).exitCode).toBe(130);
    expect(await containers()).toBe("");
    expect(existsSync(path.join(project.dir, "again"))).toBe(true);
    expect((await raymond("resume r1", { env })).stdout).toContain("twice");
  });

  it("is removed by the resume after kill -9 of raymond", async () => {
    const { start, raymond, project } = await scene({
      "flow/START.sh": inside(
        `[ -e ready ] && { ${resultScript("twice").trim()}; exit; }\ntouch ready; trap '' INT TERM; while :; do sleep 0.1; done\n`,
      ),
    });
    const first = start("flow --run-id r1", { env });
    await project.fileWith("ready");
    first.kill("SIGKILL");
    await first.exit;
    expect(await containers()).not.toBe("");

    const { stdout } = await raymond("resume r1", { env });

    expect(stdout).toContain("twice");
    expect(await containers()).toBe("");
  });
});

describeNeeds(PODMAN, "raymond doctor", () => {
  it("shows the program for containers, and whether it has the image of the setting", async () => {
    const { raymond } = await scene({});
    const line = async (image: string) => {
      const { stdout } = await raymond("doctor", { env: { ...env, RAYMOND_CONTAINER: image } });
      return /^.*container .*$/m.exec(stdout)?.[0] ?? stdout;
    };

    expect(await line("none")).toMatch(/^ok .*podman/);
    expect(await line(IMAGE)).toMatch(/^ok .*podman has the image/);
    expect(await line("localhost/none:1")).toMatch(/^FAIL .*does not have the image/);
  });
});

describeNeeds(PODMAN, "a container of the user", () => {
  it("is not replaced by another image of a state", async () => {
    const { result, project } = await run(
      `# raymond: container=${WITHOUT_BASH}\ntouch started\n`,
      `--container ${IMAGE}`,
    );

    expect(result.stderr).toContain(`asks for the container ${WITHOUT_BASH}`);
    expect(result.stderr).toContain(`your setting container is ${IMAGE}`);
    expect(existsSync(path.join(project.dir, "started"))).toBe(false);
  });

  it("shows no folders to a state but the launch folder and those of the user's sandbox", async () => {
    const outside = path.join(import.meta.dirname, "..", "support");
    const script = `# raymond: sandbox=write:${outside},write:.\n${writes("ok")}ls ${outside}\n`;
    const { result } = await run(script, `--container ${IMAGE}`);
    expect(result.stdout).not.toContain("podman.ts");

    const { raymond, project } = await scene({
      "flow/START.sh": `echo '<reset cd="../home">NEXT</reset>'\n`,
      "flow/NEXT.sh": "touch started\n",
    });
    await project.write("../home/.keep", "");
    const moved = await raymond(`flow --container ${IMAGE}`, { env });

    expect(moved.stderr).toContain("is outside of");
    expect(existsSync(path.join(project.home, "started"))).toBe(false);
  });
});

describeNeeds(PODMAN, "a container that cannot be started", () => {
  it("names the command that downloads a missing image, and downloads nothing", async () => {
    const { result, project } = await run("# raymond: container=localhost/none:1\ntouch started\n");

    expect(result.stderr).toContain("The container of the script START.sh could not be started");
    expect(result.stderr).toContain("podman pull localhost/none:1");
    expect(result.exitCode).toBe(1);
    expect(existsSync(path.join(project.dir, "started"))).toBe(false);
  });

  it("says that the image needs bash", async () => {
    const { result } = await run(`# raymond: container=${WITHOUT_BASH}\ntouch started\n`);

    expect(result.stderr).toContain(`The image ${WITHOUT_BASH} must contain bash.`);
  });
});

itNeeds(onPath("docker"), "a docker without a daemon is a failure that says so", async () => {
  const { raymond, project } = await scene({
    "flow/START.sh": "# raymond: container=alpine\ntouch started\n",
  });
  // Without podman, which is preferred.
  const folder = path.join(project.dir, "programs");
  const docker = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .map((each) => path.join(each, "docker"))
    .find((each) => existsSync(each));
  await mkdir(folder);
  await symlink(docker ?? "", path.join(folder, "docker"));

  const { stderr } = await raymond("flow", {
    env: { PATH: folder, DOCKER_HOST: `unix://${project.dir}/none.sock` },
  });

  expect(stderr).toContain("docker ended with exit code 125");
  expect(stderr).toContain("docker info");
  expect(existsSync(path.join(project.dir, "started"))).toBe(false);
});

describe("a container without podman and docker", () => {
  it("is a failure that says what to install, and the script is not started", async () => {
    const { raymond, project } = await scene({
      "flow/START.sh": "# raymond: container=alpine\ntouch started\n",
    });

    const { stderr, exitCode } = await raymond("flow", { env: { PATH: project.dir } });

    expect(stderr).toContain("needs podman or docker, and neither is on PATH");
    expect(stderr).toContain("apt install podman");
    expect(exitCode).toBe(1);
    expect(existsSync(path.join(project.dir, "started"))).toBe(false);
  });
});

describe("a prompt", () => {
  it("is refused before the run if the user has set container", async () => {
    const { raymond, calls } = await scene({
      "flow/START.sh": "touch started; echo '<goto>ASK</goto>'\n",
      "flow/ASK.md": "Hello\n",
    });

    const { stderr, exitCode } = await raymond("flow --container alpine");

    expect(stderr).toContain(
      'ASK.md:1:1: this is a prompt, and the backend "claude" cannot run it',
    );
    expect(exitCode).toBe(2);
    expect(await calls()).toEqual([]);
  });

  it("cannot name a container", async () => {
    const { raymond } = await scene({ "flow/START.md": "---\ncontainer: alpine\n---\nHello\n" });

    const { stderr } = await raymond("flow");

    expect(stderr).toContain("START.md:2");
    expect(stderr).toContain("container applies only to scripts");
  });
});
