import { describe, expect, it } from "vitest";
import { scene } from "./scene.ts";

const SCRIPT = { "w/START.sh": "echo '<result>done</result>'\n" };
const CONFIG = { ".raymond/config.toml": '[raymond]\nmodel = "opus"\nnotify = "touch owned"\n' };
const CLONED = "git init -q . && git add -f .";

/** docs/security.md, "Trusting a project". */
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
    await bash("mkdir .git");

    expect((await raymond("w")).stderr).toContain("[project/untrusted]");
  });
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
      /FAIL +claude +claude = "\.\/evil" \(by .*config\.toml:2\) was not started/,
    );
    expect(await project.list(".")).not.toContain("owned");
  });

  it("names it before it starts it with --trust-project", async () => {
    const { raymond, bash, project } = await scene(files);
    await bash(`chmod +x evil && ${CLONED}`);

    const checks = await raymond("doctor --trust-project", { env });

    expect(checks.stderr).toMatch(/claude = "\.\/evil" comes from .*config\.toml:2/);
    expect(await project.list(".")).toContain("owned");
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
    expect((await raymond("rerun one --from START")).stderr).toContain("[project/untrusted]");
  });

  it("is resumed with --trust-project, and its settings are announced", async () => {
    const { raymond } = await saved();

    const resumed = await raymond("--resume latest --trust-project");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(resumed.stderr).toContain('notify = "touch owned" comes from the saved run one.');
  });
});
