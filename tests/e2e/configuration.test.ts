import { mkdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { refusal, resultScript, scene } from "./scene.ts";

const WORKFLOW = { "w/START.sh": resultScript("ok") };

async function budgetOf(project: { run(id: string): Promise<unknown> }): Promise<unknown> {
  const run = (await project.run("one")) as { settings: { budget_usd: unknown } };
  return run.settings.budget_usd;
}

describe("settings that are wrong", () => {
  it.each([
    ["a wrong type", '[raymond]\nbudget = "5"\n', ":2: budget"],
    ["a negative budget", "[raymond]\n\nbudget = -1\n", ":3: budget is -1"],
    ["no table", "budget = 5\n", ":1: budget is outside the table [raymond]"],
    ["no TOML", "[raymond\n", ":1: this is not TOML"],
    ["a text for a switch", '[raymond]\nmemory = "yes"\n', ":2: memory"],
  ])("stop raymond, with file, line and key: %s", async (_, config, words) => {
    const { raymond, runs } = await scene({ ...WORKFLOW, ".raymond/config.toml": config });

    const refused = await raymond("w");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toContain(`.raymond/config.toml${words}`);
    expect(refusal(refused)).toMatch(/\nhint: .+/);
    expect(await runs()).toEqual([]);
  });

  it("are a warning for an unknown key, with the nearest known one", async () => {
    const config = "[raymond]\nbugdet = 5\n";
    const { raymond } = await scene({ ...WORKFLOW, ".raymond/config.toml": config });

    const done = await raymond("w");

    expect(done).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(done.stderr).toMatch(/config\.toml:2: .*bugdet.*did you mean budget\?/);
  });

  it.each([
    ["w --budget -1", "--budget"],
    ["w --budget 0", "--budget"],
    ["w --budget 1,5", "--budget"],
    ["w --timeout soon", "--timeout"],
    ["w --max-parallel 0", "--max-parallel"],
    ["w --effort huge", "--effort"],
    ["w --var PATH=/evil", "PATH"],
    ["w --var who", "Expected NAME=VALUE"],
    ["w --var a=1 --var a=2", "twice"],
    ["w --lost-session fresh", "--lost-session is for raymond resume"],
    ["--resume one --input x", "--input is for new runs"],
    ["--resume --var a=b", "--var is for new runs"],
    ["w --resume", "takes no WORKFLOW"],
    ["--resume=", "it is empty"],
    ["--resume --budget 3 one", "raymond resume RUN"],
    ["w --bogus", "--bogus"],
    ["w too", "Too many arguments"],
    ["w --simulate", "sim.yaml"],
  ])("stop raymond on the command line: %s", async (line, words) => {
    const { raymond, runs } = await scene(WORKFLOW);

    const refused = await raymond(line);

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain(words);
    expect(await runs()).toEqual([]);
  });

  it("stop raymond in the environment, with the variable's name", async () => {
    const { raymond } = await scene(WORKFLOW);

    const refused = await raymond("w", { env: { RAYMOND_BUDGET: "ten" } });

    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toContain('RAYMOND_BUDGET: "ten"');
  });
});

describe("unknown variables", () => {
  it("are a warning, but for those that a raymond around this one has set", async () => {
    const { raymond, bash } = await scene({
      "w/START.sh": resultScript("ok"),
      "outer/START.sh": `eval "$RUN w --input x" >inner.txt 2>&1 && ${resultScript("ok")}`,
    });

    const warned = await raymond("w", { env: { RAYMOND_BUDGETS: "3" } });
    expect(warned.stdout).toBe("ok\n");
    expect(warned.stderr).toContain("RAYMOND_BUDGETS is ignored; did you mean RAYMOND_BUDGET?");

    const nested = await bash(
      'RUN=$RAYMOND; unset RAYMOND; export RUN; eval "$RUN outer --input y" && cat inner.txt',
    );
    expect(nested.exitCode).toBe(0);
    expect(nested.stdout).toContain("completed");
    expect(nested.stdout).not.toContain("warning");
  });
});

describe("raymond doctor where the configuration is wrong", () => {
  it("reports all problems, and still checks the configured client", async () => {
    const { project, raymond } = await scene(WORKFLOW);
    const lines = async (text: string, env = {}) => {
      await project.write(".raymond/config.toml", text);
      const { exitCode, stdout } = await raymond("doctor", { env });
      expect(exitCode).toBe(1);
      return stdout;
    };
    const wrong = '[raymond]\nbudget = "lots"\ntimeout = "soon"\n';

    const named = await lines(wrong);
    expect(named).toMatch(/^FAIL {2}config .*config\.toml:2: budget/m);
    expect(named).toMatch(/^FAIL {2}config .*config\.toml:3: timeout/m);
    expect(named).toMatch(/^ok {4}claude /m);

    const away = { RAYMOND_CLAUDE: "", PATH: project.home };
    const unread = await lines("[raymond\n", away);
    expect(unread).toMatch(/^FAIL {2}config .*config\.toml:1: this is not TOML/m);
    expect(unread).toMatch(/^warn {2}claude .*may name another client/m);

    expect(await lines(wrong, away)).toMatch(/^FAIL {2}claude +Cannot find "claude" on PATH/m);
  });
});

describe("where settings come from", () => {
  it("a flag switches off a setting of the file, also on resume, permanently", async () => {
    const config = "[raymond]\nkeep_going = true\nmemory = true\nwait = false\ndebug = false\n";
    const files = { "w/START.sh": "exit 1\n", ".raymond/config.toml": config };
    const { project, raymond } = await scene(files);
    const switches = async () => {
      const { settings } = (await project.run("one")) as { settings?: unknown };
      return settings;
    };

    await raymond("w --workflow-id one --no-keep-going --debug --trust-project");
    expect(await switches()).toMatchObject({
      keep_going: false,
      switches: { memory: true },
      wait: false,
      debug: true,
    });

    await raymond("--resume one --keep-going --no-memory --wait --no-debug");
    const changed = {
      keep_going: true,
      switches: { memory: false },
      wait: true,
      debug: false,
    };
    expect(await switches()).toMatchObject(changed);

    await raymond("--resume");
    expect(await switches()).toMatchObject(changed);
  });

  it("a flag wins over the environment, that over the file, and that over the default", async () => {
    const { project, raymond } = await scene(WORKFLOW);
    const from = async (file: string, line: string, env = {}) => {
      await project.write(".raymond/config.toml", file);
      await raymond("prune one");
      expect((await raymond(`w --workflow-id one${line}`, { env })).exitCode).toBe(0);
      return budgetOf(project);
    };
    const variable = { RAYMOND_BUDGET: "4" };

    expect(await from("", "")).toBe(10);
    expect(await from("[raymond]\nbudget = 3\n", "")).toBe(3);
    expect(await from("[raymond]\nbudget = 3\n", "", variable)).toBe(4);
    expect(await from("[raymond]\nbudget = 3\n", " --budget none", variable)).toBe(null);
  });

  it("--init-config writes them all down, changes nothing by that, and never overwrites", async () => {
    const { project, raymond } = await scene(WORKFLOW);

    const written = await raymond("--init-config");
    expect(written).toMatchObject({ exitCode: 0, stdout: "" });
    const config = await project.read(".raymond/config.toml");
    expect(config).toContain("[raymond]");
    expect(config).toMatch(/^# ?budget = 10/m);

    const again = await raymond("--init-config");
    expect(again.exitCode).toBe(2);
    expect(refusal(again)).toContain("config.toml");

    await project.write(".raymond/config.toml", config.replace(/^# ?budget = .*/m, "budget = 7"));
    expect(await raymond("w --workflow-id one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(await budgetOf(project)).toBe(7);
  });

  it("--init-config reports why it cannot write", async () => {
    const { raymond } = await scene({ file: "x" });

    const refused = await raymond("--init-config --state-dir file/sub");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toMatch(/Cannot write .*config\.toml: .*\nhint: .*--state-dir/);
  });

  it("the file is found from a subfolder, up to the folder with .git", async () => {
    const config = "[raymond]\nbudget = 3\n";
    const { project, raymond } = await scene({ ...WORKFLOW, ".raymond/config.toml": config });
    await mkdir(path.join(project.dir, "sub", "deep"), { recursive: true });
    const cwd = path.join(project.dir, "sub", "deep");

    await raymond("../../w --workflow-id outside", { cwd });
    expect(await project.read("sub/deep/.raymond/workflows/outside.json")).toContain(
      '"budget_usd": 10',
    );

    await project.write("sub/deep/.raymond/workflows/outside.json", "{}");
    await mkdir(path.join(project.dir, "sub", "other"), { recursive: true });
    await project.write(".git", "gitdir: elsewhere\n");
    await raymond("../../w --workflow-id one", { cwd: path.join(project.dir, "sub", "other") });
    expect(await budgetOf(project)).toBe(3);
  });

  it("runs are stored next to .git without an existing .raymond", async () => {
    const { project, raymond, runs } = await scene({ ...WORKFLOW, ".git/HEAD": "x" });
    await mkdir(path.join(project.dir, "sub"));

    await raymond("../w --workflow-id one", { cwd: path.join(project.dir, "sub") });

    expect(await runs()).toEqual(["one"]);
    expect(await project.read(".raymond/.gitignore")).toContain("!config.toml");
  });

  it("permissions that come from a file are announced with its path", async () => {
    const config = '[raymond]\nallowed_tools = ["Bash"]\n';
    const { raymond } = await scene({ ...WORKFLOW, ".raymond/config.toml": config });

    const done = await raymond("w --quiet --trust-project");

    expect(done.stderr).toMatch(/allowed_tools.*config\.toml:2/);
  });
});
