import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FAKE_CLAUDE } from "../fixtures/fake-client.ts";
import { until } from "../support/until.ts";
import {
  nodeOnWindows,
  startWindowsNode,
  type WindowsProgram,
  type WindowsResult,
  windowsFolder,
  windowsNode,
  windowsPath,
} from "./windows-node.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");

describe("raymond on Windows", () => {
  it("prints its version", async () => {
    const { raymond } = project({});

    expect(await raymond("--version")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^0\.1\.0\+[0-9a-f]{8}\n$/) as string,
    });
  });

  it("completes after it was killed in a step", async () => {
    const { raymond, start, file } = project({
      "flow/START.bat":
        "@echo off\necho x>>started.txt\nif exist go.txt goto go\nping -n 60 127.0.0.1 >nul\n:go\necho ^<goto^>END^</goto^>",
      "flow/END.bat": "@echo off\necho ^<result^>done^</result^>",
    });
    const running = start("flow", "--workflow-id", "r1");
    await until("the step to start", () => Promise.resolve(file("started.txt")));
    // What a later raymond looks for the client's process by.
    expect(file(".raymond/runs/r1/groups/1")).toMatch(/"pid":\d+,"at":\d+/);
    running.kill();
    await running.exit;

    expect((await raymond("list")).stdout).toMatch(/r1 +crashed/);
    file("go.txt", "x");
    expect(await raymond("--resume", "r1")).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(file("started.txt")).toBe("x\r\nx\r\n");
    expect((await raymond("status", "r1")).stdout).toContain("completed");
    expect(await raymond("prune", "r1", "--yes")).toMatchObject({ exitCode: 0 });
    expect((await raymond("list")).stdout).not.toContain("r1");
  });

  it("locks its run for other processes", async () => {
    const { raymond, start, file } = project({
      "flow/START.bat": "@echo off\necho x>started.txt\nping -n 60 127.0.0.1 >nul",
    });
    const running = start("flow", "--workflow-id", "r1");
    await until("the step to start", () => Promise.resolve(file("started.txt")));

    expect(await raymond("--resume", "r1")).toMatchObject({ exitCode: 6 });

    running.kill();
    await running.exit;
  });

  it("stops a run from another window: its state is saved, and it can be resumed", async () => {
    const { raymond, start, file } = project({
      "flow/START.bat":
        "@echo off\necho x>>started.txt\nif exist go.txt goto go\nping -n 20 127.0.0.1 >nul\n:go\necho ^<result^>done^</result^>",
    });
    const running = start("flow", "--workflow-id", "r1");
    await until("the step to start", () => Promise.resolve(file("started.txt")));

    const stopped = await raymond("stop", "r1");

    expect(stopped).toMatchObject({ exitCode: 0 });
    expect(stopped.stdout).toContain("r1 has stopped: interrupted.");
    expect(await running.exit).toMatchObject({ exitCode: 143 });
    expect(running.stderr()).toContain("raymond stop: stopping.");
    expect(`${running.stderr()}${stopped.stderr}`).not.toContain("SIGTERM");
    // wine's taskkill knows no /T: what it cannot end is not passed over in silence.
    expect(/may still be running \(taskkill said/.test(running.stderr())).toBe(
      process.platform !== "win32",
    );
    file("go.txt", "x");
    expect(await raymond("--resume", "r1")).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });

  it("lets a run that waits try again now", async () => {
    const { raymond, start, file } = project({
      "flow/START.bat":
        "@echo off\nREM raymond: retries=3 backoff=10m\necho x>>started.txt\nif not exist go.txt exit /b 1\necho ^<result^>done^</result^>",
    });
    const running = start("flow", "--workflow-id", "r1");
    await running.said(/again in 10m|retr/);
    file("go.txt", "x");

    expect(await raymond("retry", "r1")).toMatchObject({
      exitCode: 0,
      stdout: "r1 is retrying now: main.\n",
    });
    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });

  it("checks the environment", async () => {
    const { raymond } = project({});

    const { stdout } = await raymond("doctor");

    expect(stdout).toMatch(/^ok +node /m);
    expect(stdout).toMatch(/^ok +runs /m);
    expect(stdout).toMatch(/^FAIL +claude /m);
  });

  it("shows the tour", async () => {
    const { raymond, list } = project({});

    expect(await raymond("tour", "--quiet")).toMatchObject({ exitCode: 0 });
    expect(list()).toEqual(["flow"]);
  });
});

describe("a client that is a command script, as npm makes it", () => {
  it("is found, queried and run with its complete prompt", async () => {
    const { raymondWith, file } = project({
      "flow/START.md": 'Say what ^ % & | < > " ! is, größe 日本',
      "bin/claude": "a script for other systems",
      "bin/claude.cmd": `@"${nodeOnWindows()}" "${windowsPath(FAKE_CLAUDE)}" %*`,
      "claude.json": JSON.stringify({
        replies: [{ match: 'what ^ % & | < > " ! is, größe 日本', say: "<result>grüße</result>" }],
      }),
    });
    const env = { CLAUDE_FAKE: "claude.json", RAYMOND_CLAUDE: "bin\\claude" };

    const found = await raymondWith(env, "doctor");
    const done = await raymondWith(env, "flow", "--workflow-id", "r1");

    expect(found.stdout).toMatch(/^ok +claude .*\\bin\\claude\.cmd/m);
    expect(done).toMatchObject({ exitCode: 0, stdout: "grüße\n" });
    expect(file(".raymond/runs/r1/groups/1")).toBeUndefined();
  });
});

describe("the debug files on Windows", () => {
  it("contain the command", async () => {
    const { raymond, file, list } = project({
      "flow/START.bat": "@echo off\necho ^<result^>done^</result^>",
    });

    await raymond("flow", "--workflow-id", "r1");

    const debug = ".raymond/debug/r1";
    const meta = list(debug).find((name) => name.endsWith(".meta.json")) ?? "";
    const { argv } = JSON.parse(file(`${debug}/${meta}`) ?? "{}") as { argv?: readonly string[] };
    expect(argv?.[0]).toMatch(/^[A-Z]:\\windows\\System32\\cmd\.exe$/i);
    expect(argv?.at(-1)).toMatch(/chcp\.com" 65001 .*"%RAYMOND_STATE_FILE%""$/);
  });
});

describe("workflows/test_cases on Windows", () => {
  it.each([
    ["SCRIPT_GOTO", "went to the end"],
    [
      "SCRIPT_RESULT",
      "the first line\n  the second, with its blanks kept & <b>signs</b> of all kinds",
    ],
    ["SCRIPT_RESET", "came by 3 times"],
    ["SCRIPT_RESET_CD", "in elsewhere"],
    ["SCRIPT_CALL", "the child said: hello from the child"],
    ["SCRIPT_FUNCTION", "the child said: hello from the child"],
    ["SCRIPT_FORK", "parent continued"],
    ["SCRIPT_FORK_CD", "parent continued"],
    ["SCRIPT_FORK_MANY", "three were sent"],
    [
      "SCRIPT_JOIN",
      JSON.stringify(
        ["north", "south"].map((item, index) => ({
          ...{ agent: `main_script${String(index + 1)}`, state: "SCRIPT_FORK_MANY_WORKER.bat" },
          ...{ attributes: { item }, ok: true, result: `${item}: wind from the ${item}` },
        })),
      ),
    ],
    ["SCRIPT_DELAY", "went to the end"],
    ["HYBRID_GATED", "written"],
    ["SCRIPT_RESET_FRAMES", "back after 3 rounds"],
    ["SCRIPT_POLL", "ready after 3 looks"],
    ["HYBRID", "the model says: odd"],
  ])("%s completes with the expected result", async (entry, result) => {
    const { raymond } = project({});

    const done = await raymond(testCase(entry), "--simulate");

    expect(done).toMatchObject({ exitCode: 0, stdout: `${result}\n` });
  });

  it.each([
    ["SCRIPT_FAIL", /the disk is on fire/],
    ["SCRIPT_NO_TAG", /[Nn]o transition tag/],
    ["SCRIPT_TWO_TAGS", /2 transition tags/],
    ["SCRIPT_TIMEOUT", /SCRIPT_TIMEOUT\.bat did not end within 1s/],
  ])("%s fails with the reason", async (entry, reason) => {
    const { raymond } = project({});

    const failed = await raymond(testCase(entry), "--simulate");

    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toMatch(reason);
  });
});

function testCase(name: string): string {
  return windowsPath(path.join(ROOT, "workflows", "test_cases", name));
}

interface WindowsProject {
  readonly raymond: (...args: readonly string[]) => Promise<WindowsResult>;
  readonly raymondWith: (
    env: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ) => Promise<WindowsResult>;
  readonly start: (...args: readonly string[]) => WindowsProgram;
  /** Its text, once it is there; writes it where a text is given. */
  readonly file: (name: string, text?: string) => string | undefined;
  /** Names in a folder of it. */
  readonly list: (folder?: string) => readonly string[];
}

/** A folder with these files, batch files with the line ends of Windows. */
function project(files: Readonly<Record<string, string>>): WindowsProject {
  const cwd = windowsFolder();
  const write = (name: string, text: string) => {
    const file = path.join(cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, name.endsWith(".bat") ? text.replaceAll("\n", "\r\n") : text);
  };
  mkdirSync(path.join(cwd, "flow"));
  for (const [name, text] of Object.entries(files)) write(name, text);
  const program = windowsPath(path.join(ROOT, "bin", "raymond.js"));
  return {
    raymond: (...args) => windowsNode([program, ...args], { cwd }),
    raymondWith: (env, ...args) => windowsNode([program, ...args], { cwd, env }),
    start: (...args) => startWindowsNode([program, ...args], { cwd }),
    file: (name, text) => {
      if (text !== undefined) write(name, text);
      try {
        return readFileSync(path.join(cwd, name), "utf8");
      } catch {
        return undefined;
      }
    },
    list: (folder = ".") => readdirSync(path.join(cwd, folder)),
  };
}
