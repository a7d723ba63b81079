import { describe, expect, it } from "vitest";
import { scene } from "./scene.ts";

const SCRIPT = { "w/START.sh": "echo '<result>done</result>'\n" };
const CONFIG = { ".raymond/config.toml": '[raymond]\nmodel = "opus"\nnotify = "touch owned"\n' };
const CLONED = "git init -q . && git add -f .";

/** docs/trust.md, "Trusting a project". */
describe("a config.toml that sets notify", () => {
  it("is refused without a terminal when git tracks it, and nothing of it is executed", async () => {
    const { raymond, bash, project, runs } = await scene({ ...SCRIPT, ...CONFIG });
    await bash(CLONED);

    const refused = await raymond("w");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /config\.toml is in the project's git repository and is not trusted yet: notify = "touch owned"\. \[project\/untrusted\]/,
    );
    expect(refused.stderr).toContain("--trust-project");
    expect(await project.list(".")).not.toContain("owned");
    expect(await runs()).toEqual([]);
  });

  it("is used with --trust-project, and announced", async () => {
    const { raymond, bash, project } = await scene({ ...SCRIPT, ...CONFIG });
    await bash(CLONED);

    const end = await raymond("w --trust-project");

    expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(end.stderr).toMatch(/notify = "touch owned" comes from .*config\.toml:3/);
    expect(await project.list(".")).toContain("owned");
  });

  it("needs no trust if git does not track it, or a flag replaces its value", async () => {
    const { raymond, bash } = await scene({ ...SCRIPT, ...CONFIG });
    await bash("git init -q .");
    expect((await raymond("w")).exitCode).toBe(0);
    await bash("git add -f .raymond/config.toml");

    expect((await raymond("w --notify none")).exitCode).toBe(0);
  });

  it("needs trust if git cannot report whether it is tracked", async () => {
    const { raymond, bash } = await scene({ ...SCRIPT, ...CONFIG });
    await bash("echo gitdir: elsewhere >.git");

    expect((await raymond("w")).stderr).toContain("[project/untrusted]");
  });
});

it("a config.toml of the project is not read with another --state-dir", async () => {
  const { raymond, bash, project } = await scene({ ...SCRIPT, ...CONFIG });
  await bash(CLONED);

  expect((await raymond("w --state-dir mine")).exitCode).toBe(0);
  expect(await project.list(".")).not.toContain("owned");
});

it("programs that the configuration of git names are not started to ask what git tracks", async () => {
  const { raymond, bash, project } = await scene({ ...SCRIPT, ...CONFIG });
  await bash(`${CLONED} && git config core.fsmonitor "touch by-git"`);

  expect((await raymond("w")).stderr).toContain("[project/untrusted]");
  expect(await project.list(".")).not.toContain("by-git");
});

it("harmless settings of a tracked config.toml need no trust", async () => {
  const config = { ".raymond/config.toml": '[raymond]\nmodel = "opus"\nbudget = 3\n' };
  const { raymond, bash } = await scene({ ...SCRIPT, ...config });
  await bash(CLONED);

  expect((await raymond("w")).exitCode).toBe(0);
});

describe("doctor", () => {
  const files = {
    ".raymond/config.toml": '[raymond]\nclaude = "./evil"\n',
    evil: "#!/bin/sh\ntouch owned\n",
  };
  const env = { RAYMOND_CLAUDE: "" };

  it("does not start a client that a tracked config.toml names", async () => {
    const { raymond, bash, project } = await scene(files);
    await bash(`chmod +x evil && ${CLONED}`);

    const checks = await raymond("doctor", { env });

    expect(checks.exitCode).toBe(1);
    expect(checks.stdout).toMatch(
      /FAIL +claude +client\.claude = "\.\/evil" \(by .*config\.toml:2\) was not started/,
    );
    expect(await project.list(".")).not.toContain("owned");
  });

  it("names it before it starts it with --trust-project", async () => {
    const { raymond, bash, project } = await scene(files);
    await bash(`chmod +x evil && ${CLONED}`);

    const checks = await raymond("doctor --trust-project", { env });

    expect(checks.stderr).toMatch(/client\.claude = "\.\/evil" comes from .*config\.toml:2/);
    expect(await project.list(".")).toContain("owned");
  });
});

describe("doctor shows the trust of a project", () => {
  it("without settings that need trust", async () => {
    const { raymond } = await scene(SCRIPT);
    expect((await raymond("doctor")).stdout).toMatch(/^ok +trust +the project brings no settings/m);
  });

  it("with settings for the client: not trusted, trusted, ignored", async () => {
    const { raymond, project } = await scene(HOOKED, [DONE]);
    const { stdout } = await raymond("doctor");
    expect(stdout).toMatch(
      /^warn +trust +not trusted: .* has settings for claude: .*settings\.json: hook SessionStart: touch own/m,
    );
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/refused without one \(exit code 2\).*--ignore-project-settings/);

    expect((await raymond("doctor --trust-project")).stdout).toMatch(/^ok +trust +trusted by/m);
    await project.write(".raymond/config.toml", "[raymond]\nignore_project_settings = true\n");
    expect((await raymond("doctor")).stdout).toMatch(/^ok +trust +prompts run without/m);
  });

  it("with a config.toml that git tracks", async () => {
    const { raymond, bash } = await scene({ ...SCRIPT, ...CONFIG });
    await bash(CLONED);

    expect((await raymond("doctor")).stdout).toMatch(
      /^warn +trust +not trusted: .*config\.toml is in the git repository and sets notify = "touch owned"/m,
    );
  });
});

describe("a saved run that git tracks", () => {
  const files = {
    "w/START.sh": "if [ -e go ]; then echo '<result>done</result>'; else exit 1; fi\n",
    go: "",
  };
  const saved = async () => {
    const all = await scene({ ...files });
    const { bash, raymond } = all;
    await bash("rm go");
    await raymond(["w", "--workflow-id", "one", "--notify", "touch owned"]);
    await bash(`rm owned; touch go; ${CLONED}`);
    return all;
  };

  it("is not resumed without --trust-project, and its settings are listed", async () => {
    const { raymond, project } = await saved();

    const refused = await raymond("--resume latest");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /one\.json is in the project's git repository.*notify = "touch owned"/,
    );
    expect(await project.list(".")).not.toContain("owned");
    expect((await raymond("rerun one START")).stderr).toContain("[project/untrusted]");
  });

  it("is resumed with --trust-project, and its settings are announced", async () => {
    const { raymond } = await saved();

    const resumed = await raymond("--resume latest --trust-project");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(resumed.stderr).toContain('notify = "touch owned" comes from the saved run one.');
  });
});

const HOOK = { SessionStart: [{ hooks: [{ type: "command", command: "touch own\u001b[2Ked" }] }] };
const HOOKED = {
  "w/START.md": "Work.",
  ".claude/settings.json": JSON.stringify({ hooks: HOOK }),
};
const IGNORED = "--setting-sources=user";
const DONE = { say: "<result>done</result>", times: "always" } as const;

/** docs/trust.md, "Trusting a project". */
describe("settings of the project that make the client execute something", () => {
  it("are listed and refused without a terminal, before anything is started", async () => {
    const { raymond, calls, runs } = await scene(
      { ...HOOKED, ".mcp.json": '{"mcpServers": {"s": {"command": "node", "args": ["s.mjs"]}}}' },
      [DONE],
    );

    const refused = await raymond("w");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /settings\.json: hook SessionStart: touch own␛\[2Ked; \.mcp\.json: MCP server s: node s\.mjs\. \[project\/untrusted\]/,
    );
    expect(refused.stderr).toContain("--trust-project");
    expect(refused.stderr).toContain("--ignore-project-settings");
    expect(await runs()).toEqual([]);
    expect(await calls()).toEqual([]);
  });

  it("are used with --trust-project, and a resume asks again", async () => {
    const { raymond, calls, project } = await scene(
      {
        ...HOOKED,
        "w/NEXT.sh": "if [ -e go ]; then echo '<result>done</result>'; else exit 1; fi\n",
      },
      [{ say: "<goto>NEXT</goto>", times: "always" }],
    );

    expect((await raymond("w --trust-project")).exitCode).toBe(1);
    await project.write("go", "");

    expect((await calls())[0]?.argv).not.toContain(IGNORED);
    expect((await raymond("resume latest")).stderr).toContain("[project/untrusted]");
    expect((await raymond("resume latest --trust-project")).exitCode).toBe(0);
  });

  it("are ignored with --ignore-project-settings, also by a resume", async () => {
    const { raymond, calls } = await scene(HOOKED, [DONE]);

    expect((await raymond("w --ignore-project-settings")).exitCode).toBe(0);
    expect((await raymond("rerun latest START")).exitCode).toBe(0);

    expect((await calls()).map(({ argv }) => argv.includes(IGNORED))).toEqual([true, true]);
  });

  it("need no trust if they execute nothing, or the workflow has no prompts", async () => {
    const harmless = { ".claude/settings.json": '{"permissions": {"deny": ["WebFetch"]}}' };
    const plain = await scene({ "w/START.md": "Work.", ...harmless }, [DONE]);
    const scripts = await scene({ ...HOOKED, "s/START.sh": "echo '<result>x</result>'\n" });

    expect((await plain.raymond("w")).exitCode).toBe(0);
    expect((await plain.calls())[0]?.argv).not.toContain(IGNORED);
    expect((await scripts.raymond("s")).exitCode).toBe(0);
  });

  it("of another folder that an agent enters are not used, with a warning", async () => {
    const other = { "other/.claude/settings.json": HOOKED[".claude/settings.json"] };
    const { raymond, calls } = await scene(
      { "w/START.md": "Work.", "w/NEXT.md": "On.", ...other },
      [{ match: "Work", say: '<reset cd="other">NEXT</reset>' }, DONE],
    );

    const end = await raymond("w");

    expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(end.stderr).toMatch(
      /claude runs without the settings of .*other, which are not trusted/,
    );
    expect((await calls()).map(({ argv }) => argv.includes(IGNORED))).toEqual([false, true]);
  });

  it("that appear or change during a run are not used by the next prompt", async () => {
    const writes = `mkdir -p .claude; echo '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch x"}]}]}}' > .claude/settings.local.json; echo '<goto>NEXT</goto>'\n`;
    const files = { "w/START.md": "Work.", "w/WRITE.sh": writes, "w/NEXT.md": "On." };
    const replies = [{ match: "Work", say: "<goto>WRITE</goto>" }, DONE];
    const fresh = await scene(files, replies);
    const trusted = await scene({ ...files, ...HOOKED }, replies);

    expect((await fresh.raymond("w")).exitCode).toBe(0);
    expect((await trusted.raymond("w --trust-project")).exitCode).toBe(0);

    for (const { calls } of [fresh, trusted]) {
      expect((await calls()).map(({ argv }) => argv.includes(IGNORED))).toEqual([false, true]);
    }
  });
});
