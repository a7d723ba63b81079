import { describe, expect, it } from "vitest";
import { scene } from "./scene.ts";

const SCRIPT = { "w/START.sh": "echo '<result>done</result>'\n" };
const CONFIG = { ".raymond/config.toml": '[raymond]\nmodel = "opus"\nnotify = "touch owned"\n' };

const HOOK = { SessionStart: [{ hooks: [{ type: "command", command: "touch owned" }] }] };
const HOOKED = {
  "w/START.md": "Work.",
  ".claude/settings.json": JSON.stringify({ hooks: HOOK }),
};
const IGNORED = "--setting-sources=user";
const DONE = { say: "<result>done</result>", times: "always" } as const;

/** docs/trust.md, "Settings of raymond". */
describe("a config.toml that sets notify", () => {
  it("is refused without a terminal, and nothing of it is executed", async () => {
    const { raymond, project, runs } = await scene({ ...SCRIPT, ...CONFIG });

    const refused = await raymond("w");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /config\.toml has settings that you have not trusted: notify = "touch owned"\. \[project\/untrusted\]/,
    );
    expect(refused.stderr).toContain("--trust-project");
    expect(await project.list(".")).not.toContain("owned");
    expect(await runs()).toEqual([]);
  });

  it("is used with --trust-project, announced, and trusted until one of these settings changes", async () => {
    const { raymond, project } = await scene({ ...SCRIPT, ...CONFIG });

    const end = await raymond("w --trust-project");

    expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(end.stderr).toMatch(/notify = "touch owned" comes from .*config\.toml:3/);
    expect(await project.list(".")).toContain("owned");
    await project.write(".raymond/config.toml", '[raymond]\nnotify = "touch owned"\n');
    expect((await raymond("w")).exitCode).toBe(0);
    await project.write(".raymond/config.toml", '[raymond]\nnotify = "touch other"\n');
    expect((await raymond("w")).stderr).toContain('notify = "touch other" (new)');
  });

  it("needs no trust if a flag replaces its value", async () => {
    const { raymond } = await scene({ ...SCRIPT, ...CONFIG });

    expect((await raymond("w --notify none")).exitCode).toBe(0);
  });

  it("is not read with another --state-dir", async () => {
    const { raymond, project } = await scene({ ...SCRIPT, ...CONFIG });

    expect((await raymond("w --state-dir mine")).exitCode).toBe(0);
    expect(await project.list(".")).not.toContain("owned");
  });

  it("is not used in a subfolder in which a step has written it", async () => {
    const { raymond, project } = await scene({
      "w/START.sh":
        "mkdir -p sub/.raymond sub/w; cp w/NEXT.sh sub/w/START.sh; printf '[raymond]\\nnotify = \"touch owned\"\\n' > sub/.raymond/config.toml; echo '<result>x</result>'\n",
      "w/NEXT.sh": "echo '<result>y</result>'\n",
    });
    expect((await raymond("w")).exitCode).toBe(0);

    const next = await raymond("w", { cwd: `${project.dir}/sub` });

    expect(next.stderr).toContain("[project/untrusted]");
    expect(await project.list(".")).not.toContain("sub/owned");
  });
});

it.each([
  'budget = "none"',
  "budget = 11",
  "allow_unpriced = true",
  'agent = "pi"',
  'agent = ["claude", "codex"]',
  'on_ask = "wait"',
  'on_denied = "ask"',
  'permissions = "full"',
  'allow = ["command(npm test)"]',
  'env_pass = ["TOKEN"]',
  'env_set = { A = "1" }',
  "protect_workflow = false",
  'changed_files = "allow"',
  "memory = true",
  'workflow_path = ["/elsewhere"]',
  'client = { codex = "./codex" }',
])("%s in config.toml needs trust", async (line) => {
  const { raymond } = await scene({
    ...SCRIPT,
    ".raymond/config.toml": `[raymond]\n${line}\n`,
  });

  const refused = await raymond("w");

  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("[project/untrusted]");
});

it("settings that only restrict a run, or choose a model, need no trust", async () => {
  const lines = [
    ...['model = "opus"', "budget = 3", 'agent = "claude"', 'permissions = "read-only"'],
    ...['deny = ["read(.env)"]', 'on_denied = "fail"', "max_steps = 9", "max_parallel = 2"],
    ...['changed_files = "refuse"', "ignore_project_settings = true", 'effort = "high"'],
  ];
  const config = { ".raymond/config.toml": `[raymond]\n${lines.join("\n")}\n` };
  const { raymond } = await scene({ ...SCRIPT, ...config });

  expect((await raymond("w")).exitCode).toBe(0);
});

describe("raymond trust", () => {
  it("names and trusts files, settings and saved runs", async () => {
    const { raymond, bash, project } = await scene(
      { ...HOOKED, ...CONFIG, "s/START.sh": "exit 1\n" },
      [DONE],
    );
    await raymond("s --state-dir other");
    await bash("rm other/.gitignore; cp -r other/* .raymond");

    const trusted = await raymond("trust");

    expect(trusted.exitCode).toBe(0);
    for (const text of [".claude/settings.json", 'notify = "touch owned"', "its saved runs"]) {
      expect(trusted.stdout).toContain(text);
    }
    expect((await raymond("w")).exitCode).toBe(0);
    expect((await raymond("resume latest")).stderr).not.toContain("untrusted");
    expect((await raymond("trust")).stdout).toMatch(/^Nothing here needs trust/);
    await project.write(".claude/settings.json", "{}");
    expect((await raymond("w")).stderr).toContain(".claude/settings.json (changed)");
  });

  it("trusts nothing if a file cannot be checked", async () => {
    const { raymond, bash } = await scene({ ...HOOKED, ...CONFIG });
    await bash("mkfifo .claude/pipe");

    const refused = await raymond("trust");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(".claude/pipe (cannot be checked)");
    expect((await raymond("w --trust-project")).stderr).toContain("[project/untrusted]");
  });
});

describe("doctor", () => {
  const files = {
    ".raymond/config.toml": '[raymond]\nclaude = "./evil"\n',
    evil: "#!/bin/sh\ntouch owned\n",
  };
  const env = { RAYMOND_CLAUDE: "" };

  it("does not start a client that an untrusted config.toml names", async () => {
    const { raymond, bash, project } = await scene(files);
    await bash("chmod +x evil");

    const checks = await raymond("doctor", { env });

    expect(checks.exitCode).toBe(1);
    expect(checks.stdout).toMatch(
      /FAIL +claude +client\.claude = "\.\/evil" \(by .*config\.toml:2\) was not started/,
    );
    expect(await project.list(".")).not.toContain("owned");
  });

  it("names it before it starts it with --trust-project", async () => {
    const { raymond, bash, project } = await scene(files);
    await bash("chmod +x evil");

    const checks = await raymond("doctor --trust-project", { env });

    expect(checks.stderr).toMatch(/client\.claude = "\.\/evil" comes from .*config\.toml:2/);
    expect(await project.list(".")).toContain("owned");
  });
});

describe("doctor shows the trust of a project", () => {
  it("without anything that needs trust", async () => {
    const { raymond } = await scene(SCRIPT);
    expect((await raymond("doctor")).stdout).toMatch(/^ok +trust +the project brings nothing/m);
  });

  it("with files for the client: not trusted, trusted, ignored", async () => {
    const { raymond, project } = await scene(HOOKED, [DONE]);
    expect((await raymond("doctor")).stdout).toMatch(
      /^warn +trust +.* has files that coding agents obey, .*: \.claude\/settings\.json\. .*refused without one \(exit code 2\)/m,
    );

    expect((await raymond("doctor --trust-project")).stdout).toMatch(/^ok +trust +trusted by/m);
    await project.write(".raymond/config.toml", "[raymond]\nignore_project_settings = true\n");
    expect((await raymond("doctor")).stdout).toMatch(/^ok +trust +prompts run without/m);
  });

  it("with a config.toml", async () => {
    const { raymond } = await scene({ ...SCRIPT, ...CONFIG });

    expect((await raymond("doctor")).stdout).toMatch(
      /^warn +trust +.*config\.toml has settings that you have not trusted: notify = "touch owned"/m,
    );
  });
});

it("programs that the configuration of git names are not started to ask for trust", async () => {
  const { raymond, bash, project } = await scene({ ...SCRIPT, ...CONFIG });
  await bash("git init -q . && git add -f . && git config core.fsmonitor 'touch by-git'");

  expect((await raymond("w")).stderr).toContain("[project/untrusted]");
  expect(await project.list(".")).not.toContain("by-git");
});

/** docs/trust.md, "Saved runs". */
describe("a state folder that is a link out of the project", () => {
  it("is not written to without trust, and used afterwards", async () => {
    const { raymond, bash, project } = await scene({
      "p/w/START.sh": "echo '<result>done</result>'\n",
    });
    await bash("mkdir elsewhere && ln -s ../elsewhere p/.raymond");
    const inside = { cwd: `${project.dir}/p` };

    const refused = await raymond("w", inside);

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /p\/\.raymond .*did not create for you.*: a link to .*elsewhere/,
    );
    expect(await project.list("elsewhere")).toEqual([]);
    expect(await raymond("w --trust-project", inside)).toMatchObject({ exitCode: 0 });
    expect(await raymond("w", inside)).toMatchObject({ exitCode: 0 });
  });
});

/** docs/trust.md, "Saved runs". */
describe("a saved run of a state folder that raymond did not create for the user", () => {
  const files = {
    "w/START.sh": "if [ -e go ]; then echo '<result>done</result>'; else exit 1; fi\n",
    go: "",
  };
  const saved = async () => {
    const all = await scene({ ...files });
    const { bash, raymond } = all;
    await bash("rm go");
    await raymond(["w", "--workflow-id", "one", "--notify", "touch owned"]);
    await bash("rm -f owned; touch go; rm .raymond/id");
    return all;
  };

  it("is not resumed without --trust-project, and its settings are listed", async () => {
    const { raymond, project } = await saved();

    const refused = await raymond("--resume latest");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/did not create for you.*notify = "touch owned", run one of/);
    expect(await project.list(".")).not.toContain("owned");
    expect((await raymond("rerun one START")).stderr).toContain("[project/untrusted]");
  });

  it("is not trusted because of a new run", async () => {
    const { raymond } = await saved();

    expect((await raymond("w")).exitCode).toBe(0);

    expect((await raymond("resume one")).stderr).toContain("[project/untrusted]");
  });

  it("is resumed with --trust-project, and its settings are announced", async () => {
    const { raymond } = await saved();

    const resumed = await raymond("--resume latest --trust-project");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(resumed.stderr).toContain('notify = "touch owned" comes from the saved run one.');
  });
});

it("a run of the user is resumed without a question, whatever git tracks", async () => {
  const { raymond, bash } = await scene({
    "w/START.sh": "if [ -e go ]; then echo '<result>done</result>'; else exit 1; fi\n",
  });
  await raymond("w --notify true");
  await bash("touch go; git init -q .; git add -f .");

  const resumed = await raymond("resume latest");

  expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
  expect(resumed.stderr).not.toContain("comes from the saved run");
});

/** docs/trust.md, "Files of coding agents". */
describe("files of the project that coding agents obey", () => {
  it("are named and refused without a terminal, before anything is started", async () => {
    const { raymond, calls, runs } = await scene({ ...HOOKED, ".mcp.json": "{}" }, [DONE]);

    const refused = await raymond("w");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /not trusted: \.claude\/settings\.json, \.mcp\.json\. \[project\/untrusted\]/,
    );
    expect(refused.stderr).toContain("--trust-project");
    expect(refused.stderr).toContain("--ignore-project-settings");
    expect(await runs()).toEqual([]);
    expect(await calls()).toEqual([]);
  });

  it("are used after one --trust-project, until one changes", async () => {
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
    expect((await raymond("resume latest")).exitCode).toBe(0);
    await project.write(".claude/skills/a/SKILL.md", "x");
    expect((await raymond("w")).stderr).toContain("not trusted: .claude/skills/a/SKILL.md (new).");
  });

  it("are ignored with --ignore-project-settings, also by a resume", async () => {
    const { raymond, calls } = await scene(HOOKED, [DONE]);

    expect((await raymond("w --ignore-project-settings")).exitCode).toBe(0);
    expect((await raymond("rerun latest START")).exitCode).toBe(0);

    expect((await calls()).map(({ argv }) => argv.includes(IGNORED))).toEqual([true, true]);
  });

  it("need no trust if the workflow has no prompts", async () => {
    const scripts = await scene({ ...HOOKED, "s/START.sh": "echo '<result>x</result>'\n" });

    expect((await scripts.raymond("s")).exitCode).toBe(0);
  });

  it("need no trust if there are none", async () => {
    const plain = await scene({ "w/START.md": "Work.", "CLAUDE.md": "x", "AGENTS.md": "x" }, [
      DONE,
    ]);

    expect((await plain.raymond("w")).exitCode).toBe(0);
    expect((await plain.calls())[0]?.argv).not.toContain(IGNORED);
  });

  it("of another folder that an agent enters are not used, with a warning", async () => {
    const other = { "../other/.claude/settings.json": HOOKED[".claude/settings.json"] };
    const { raymond, calls } = await scene(
      { "w/START.md": "Work.", "w/NEXT.md": "On.", ...other },
      [{ match: "Work", say: '<reset cd="../other">NEXT</reset>' }, DONE],
    );

    const end = await raymond("w");

    expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(end.stderr).toMatch(
      /claude runs without the settings of .*other, which are not trusted: \.claude\/settings\.json\. /,
    );
    expect((await calls()).map(({ argv }) => argv.includes(IGNORED))).toEqual([false, true]);
  });

  it("that appear or change during a run are not used by the next prompt", async () => {
    const writes =
      "mkdir -p sub/.claude/skills/a; echo x > sub/.claude/skills/a/SKILL.md; echo '<goto>NEXT</goto>'\n";
    const files = { "w/START.md": "Work.", "w/WRITE.sh": writes, "w/NEXT.md": "On." };
    const replies = [{ match: "Work", say: "<goto>WRITE</goto>" }, DONE];
    const fresh = await scene(files, replies);
    const trusted = await scene({ ...files, ...HOOKED }, replies);

    expect((await fresh.raymond("w")).exitCode).toBe(0);
    const end = await trusted.raymond("w --trust-project");

    expect(end.exitCode).toBe(0);
    expect(end.stderr).toContain("not trusted: sub/.claude/skills/a/SKILL.md (new).");
    for (const { calls } of [fresh, trusted]) {
      expect((await calls()).map(({ argv }) => argv.includes(IGNORED))).toEqual([false, true]);
    }
  });

  it("are trusted in the worktree of a run and of an agent", async () => {
    const { raymond, bash, calls } = await scene(
      { ...HOOKED, "w/START.md": "Work.", "w/NEXT.md": "---\nworktree: true\n---\nOn." },
      [{ match: "Work", say: '<fork next="END">NEXT</fork>' }, DONE],
    );
    await bash(
      "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x && touch .claude/settings.local.json",
    );

    const end = await raymond("w --worktree --trust-project");

    expect(end.stderr).not.toContain("not trusted");
    expect((await calls()).every(({ argv }) => !argv.includes(IGNORED))).toBe(true);
  });
});
