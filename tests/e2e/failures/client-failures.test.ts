import { chmod, rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FAKE_CLAUDE } from "../../fixtures/fake-client.ts";
import { refusal, resultScript, scene } from "../scene.ts";

const WORKFLOW = { "w/START.md": "Do the whole of it." };
const DONE = { say: "<result>done</result>" };

describe("a client that cannot be used", () => {
  it.each([
    ["--claude names nothing", "w --claude /nowhere/claude", {}, ["/nowhere/claude"]],
    ["PATH has none", "w", { RAYMOND_CLAUDE: "", PATH: "/nowhere" }, ["on PATH", "npm install"]],
  ])("is found before the run: %s", async (_, line, env, words) => {
    const { raymond, runs } = await scene(WORKFLOW);

    const refused = await raymond(line, { env });

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toContain("Cannot find");
    for (const word of words) expect(refusal(refused)).toContain(word);
    expect(await runs()).toEqual([]);
  });

  it("is not waited for if it hangs during the login check, and ends with the run", async () => {
    const { project, raymond } = await scene({
      "w/START.sh": `until [ -e asked ]; do sleep 0.02; done\n${resultScript("ok")}`,
      "w/NEVER.md": "Never asked.",
      claude:
        '#!/bin/bash\n[ "$1" = auth ] && touch asked && exec sleep 60\necho "2.1.330 (Claude Code)"\n',
    });
    await chmod(path.join(project.dir, "claude"), 0o755);

    const done = await raymond("w --claude ./claude");

    expect(done).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(await project.orphans()).toEqual([]);
  });

  describe.each(["--version", "auth"])("and hangs when it is asked for %s", (question) => {
    const asked = async () => {
      const here = await scene({
        ...WORKFLOW,
        claude: `#!/bin/bash\n[ "$1" = ${question} ] && touch asked && exec sleep 60\necho "2.1.330 (Claude Code)"\n`,
      });
      await chmod(path.join(here.project.dir, "claude"), 0o755);
      const running = here.start("w --workflow-id one --claude ./claude");
      await here.project.fileWith("asked", () => true);
      return { ...here, running };
    };

    it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends with raymond by %s", async (signal) => {
      const { project, running } = await asked();

      running.kill(signal);

      expect(await running.exit).toMatchObject({ exitCode: null, signal, stdout: "" });
      expect(await project.orphans()).toEqual([]);
    });
  });

  it("ends with a raymond that is stopped during a resume", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh": "echo '<goto>NEXT</goto>'\n",
      "w/NEXT.md": "Go.",
      claude:
        '#!/bin/bash\n[ -e hang ] && touch "asked-$1" && exec sleep 60\necho "2.1.330 (Claude Code)"\n',
    });
    await chmod(path.join(project.dir, "claude"), 0o755);
    await raymond("w --workflow-id one --claude ./claude --max-steps 1");
    await project.write("hang", "");
    const resumed = start("--resume one --max-steps 5");
    await project.fileWith("asked---version", () => true);

    const stopped = await raymond("stop one");

    expect(stopped).toMatchObject({ exitCode: 0 });
    expect((await resumed.exit).signal).toBe("SIGTERM");
    expect(await project.orphans()).toEqual([]);
  });

  it("is not needed by a workflow of scripts", async () => {
    const { raymond } = await scene({ "w/START.sh": 'echo "<result>ok</result>"\n' });

    const done = await raymond("w", { env: { RAYMOND_CLAUDE: "/nowhere/claude" } });

    expect(done).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it.each([
    ["during", "until [ -e started ]; do sleep 0.02; done"],
    ["before", ":"],
  ])(
    "is not logged in: its first step fails (found %s the step), and a resume after the login continues it",
    async (_, wait) => {
      const client = `#!/bin/bash
[ "$1" = --version ] && echo "2.1.330 (Claude Code)" && exit
[ -e out ] || exec ${FAKE_CLAUDE} "$@"
[ "$1" = auth ] || { touch started; exec sleep 5; }
${wait}
echo '{"loggedIn":false}'
`;
      const files = { ...WORKFLOW, out: "", claude: client };
      const { project, raymond } = await scene(files, [DONE]);
      await chmod(path.join(project.dir, "claude"), 0o755);

      const failed = await raymond("w --workflow-id one --claude ./claude");
      await rm(path.join(project.dir, "out"));
      const resumed = await raymond("resume one");

      expect(failed.exitCode).toBe(1);
      expect(failed.stderr).toMatch(/failed at START\.md: claude is not logged in/);
      expect(failed.stderr).toContain("ANTHROPIC_API_KEY");
      expect(failed.stderr).not.toContain("retry");
      expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
      expect(await project.orphans()).toEqual([]);
    },
  );

  it.runIf(process.getuid?.() === 0)("would refuse to skip permissions as root", async () => {
    const { raymond } = await scene(WORKFLOW, [DONE]);

    const refused = await raymond("w --dangerously-skip-permissions");
    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toMatch(/as root.*\nhint: .*another user.*IS_SANDBOX=1/);

    const boxed = { env: { IS_SANDBOX: "1" } };
    expect((await raymond("w --dangerously-skip-permissions", boxed)).exitCode).toBe(0);
  });

  it("rejects the model: the run fails without a retry, and names the model", async () => {
    const recorded = path.join(
      import.meta.dirname,
      "../../fixtures/claude/2.1.330/unknown-model.jsonl",
    );
    const { project, raymond } = await scene({ ...WORKFLOW, client: RECORDING });
    await chmod(path.join(project.dir, "client"), 0o755);

    const failed = await raymond("w --claude ./client --model opsu --env-pass RECORDED", {
      env: { RECORDED: recorded },
    });

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/failed at START\.md: .*model/);
    expect(failed.stderr).not.toContain("retry");
  });
});

/** A client that says what a real one has said. */
const RECORDING = `#!/bin/bash
case "$1" in
  --version) echo "2.1.330 (Claude Code)" ;;
  auth) echo '{"loggedIn":true}' ;;
  *) cat >/dev/null; cat "$RECORDED"; exit 1 ;;
esac
`;

const CONTINUED = ["fresh", "resume"];

describe("a client that misbehaves", () => {
  it.each([
    ["dies before it takes the prompt", { do: "die-before-init" }, ["fresh", "fresh"]],
    ["dies while it works", { do: "die-streaming", say: "x" }, CONTINUED],
    ["says nothing at all", { do: "silent" }, ["fresh", "fresh"]],
    ["gives no result", { do: "no-result", say: "x" }, CONTINUED],
    ["hangs before it works", { do: "hang" }, ["fresh", "fresh"]],
    ["hangs, deaf to signals", { do: ["hang-streaming", "ignore-signals"], say: "x" }, CONTINUED],
  ])("is tried again, in its session where there is one: it %s", async (_, reply, modes) => {
    const { raymond, calls } = await scene(WORKFLOW, [reply, DONE]);

    const done = await raymond("w --timeout 3s");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(done.stderr).toContain("! crashed, retry 1 in");
    const asked = await calls();
    expect(asked.map(({ mode }) => mode)).toEqual(modes);
    const again = asked[1]?.prompt ?? "";
    expect(again.includes("Do the whole of it.")).toBe(modes[1] === "fresh");
  });

  it.each([
    ["lines that are no events", { do: "noise" }],
    ["20 MB in one line", { do: "big-line" }],
    ["a second turn after the result", { do: "two-results" }],
    ["a child that holds its output", { do: "grandchild" }],
  ])("does not disturb a step by %s", async (_, reply) => {
    const { raymond } = await scene(WORKFLOW, [{ ...DONE, ...reply }]);

    const done = await raymond("w --timeout 20s");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });

  it.each([
    ["success without a reply", { do: "slash-command" }, "The model did not reply."],
    ["a refused key", { do: "auth-failure" }, "The API answered 401"],
    ["a bad request", { do: "bad-request" }, "The API answered 400"],
  ])("fails its step at once: %s", async (_, reply, words) => {
    const { raymond, calls } = await scene(WORKFLOW, [reply, DONE]);

    const failed = await raymond("w");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(words);
    expect(failed.stderr).toContain("hint:");
    expect(await calls()).toHaveLength(1);
  });

  it("shows denied tool calls", async () => {
    const { raymond } = await scene(WORKFLOW, [
      { ...DONE, tools: [{ name: "Bash", input: { command: "git push" }, denied: true }] },
    ]);

    const done = await raymond("w --quiet");

    expect(done.stderr).toContain("! denied: Bash  git push");
    expect(done.stderr).toContain("--allow 'command(git push)'");
  });
});
