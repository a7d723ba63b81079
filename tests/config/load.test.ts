import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/errors.ts";
import { findConfig, loadConfig, parseConfig } from "../../src/config/load.ts";

const FILE = "/repo/.raymond/config.toml";

function errorOf(text: string): ConfigError {
  try {
    parseConfig(FILE, text);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("This was accepted.");
}

describe("parseConfig", () => {
  it("converts every setting to the units of a run", () => {
    const { settings, warnings } = parseConfig(
      FILE,
      `
[raymond]
budget = 50.0
model = "sonnet"
effort = "max"
timeout = "90s"
tool_timeout = 30
script_timeout = 0
max_parallel = 4
keep_going = true
wait = false
max_outage = "1h30m"
tools = ["Read", "Bash(git *)"]
allowed_tools = []
disallowed_tools = "default"
claude = "/opt/claude"
dangerously_skip_permissions = true
memory = true
debug = false
`,
    );

    expect(warnings).toEqual([]);
    expect(settings).toEqual({
      budgetMicroUsd: 50_000_000,
      model: "sonnet",
      effort: "max",
      timeoutMs: 90_000,
      toolTimeoutMs: 30_000,
      scriptTimeoutMs: 0,
      maxParallel: 4,
      keepGoing: true,
      wait: false,
      maxOutageMs: 5_400_000,
      tools: ["Read", "Bash(git *)"],
      allowedTools: [],
      disallowedTools: null,
      clients: { claude: "/opt/claude" },
      skipPermissions: true,
      memory: true,
      debug: false,
    });
  });

  it.each([
    ["", {}],
    ['\ufeff[raymond]\r\nbudget = "none"\r\n', { budgetMicroUsd: null }],
    ["raymond.budget = 5", { budgetMicroUsd: 5_000_000 }],
    ["raymond = { budget = 5 }", { budgetMicroUsd: 5_000_000 }],
    ["[raymond]\nbudget = 0.000001", { budgetMicroUsd: 1 }],
  ])("reads %j", (text, settings) => {
    expect(parseConfig(FILE, text.replace("\ufeff", "")).settings).toEqual(settings);
  });

  it.each([
    ["budget", '"5"'],
    ["budget", "0"],
    ["budget", "-1"],
    ["budget", "nan"],
    ["budget", "inf"],
    ["budget", "0.0000001"],
    ["budget", "true"],
    ["budget", '"None"'],
    ["budget", "2026-11-21"],
    ["model", "5"],
    ["model", '""'],
    ["effort", '"hgih"'],
    ["timeout", '"soon"'],
    ["timeout", "-1"],
    ["timeout", "4000000000"],
    ["max_parallel", "0"],
    ["max_parallel", "1.5"],
    ["keep_going", '"yes"'],
    ["wait", "1"],
    ["tools", '"Read"'],
    ["tools", "[1]"],
    ["allowed_tools", '[""]'],
    ["debug", "[]"],
  ])("rejects %s = %s with file, line and key", (key, value) => {
    const error = errorOf(`# mine\n\n[raymond]\n  ${key} = ${value}\n`);

    expect(error.code).toBe("config/invalid");
    expect(error.key).toBe(key);
    expect(error.message).toMatch(new RegExp(`^${FILE}:4: ${key} is `));
    expect(error.message).toContain("but must be");
    expect(error.hint).toContain("default");
  });

  it("reports the line of invalid TOML", () => {
    const error = errorOf("[raymond]\nbudget = 5\nmodel = sonnet\n");

    expect(error.message).toMatch(new RegExp(`^${FILE}:3: this is not TOML`));
    expect(error.message).not.toContain("\n");
  });

  it("reports both lines of a duplicate key", () => {
    const text = "[other]\nbudget = 9\n[raymond]\nbudget = 1\nmodel = 'x'\nbudget = 2\n";

    expect(() => parseConfig(FILE, text)).toThrow(
      `${FILE}:6: budget is set twice: also in line 4.`,
    );
  });

  it("rejects a duplicate key", () => {
    expect(errorOf("[raymond]\nbudget = 5\nbudget = 6\n").message).toContain(`${FILE}:3`);
  });

  it("rejects a setting above its table", () => {
    const error = errorOf('budget = 5\n[raymond]\nmodel = "opus"\n');

    expect(error.message).toBe(
      `${FILE}:1: budget is outside the table [raymond] and would be ignored.`,
    );
  });

  it("rejects a [raymond] that is not a table", () => {
    expect(errorOf("\nraymond = 5\n").message).toBe(`${FILE}:2: raymond must be a table.`);
  });

  it("warns of unknown keys and tables with a line and a suggestion", () => {
    const { warnings } = parseConfig(
      FILE,
      "[raymond]\nbugdet = 5\nxyzzy = 1\n[raymnod]\nbudget = 1\n[other]\n",
    );

    expect(warnings).toEqual([
      `${FILE}:4: unknown table [raymnod] is ignored; did you mean [raymond]?`,
      `${FILE}:6: unknown table [other] is ignored.`,
      `${FILE}:2: unknown key bugdet is ignored; did you mean budget?`,
      `${FILE}:3: unknown key xyzzy is ignored.`,
    ]);
  });
});

describe("the configuration file", () => {
  let root = "";
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "raymond-test-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("is config.toml in the state folder", async () => {
    expect(await findConfig(root)).toBeNull();
    expect(await findConfig(join(root, "nowhere"))).toBeNull();
    await writeFile(join(root, "config.toml"), "\ufeff[raymond]\nbudget = 3\n");
    const file = await findConfig(root);

    expect(file).toBe(join(root, "config.toml"));
    expect(await loadConfig(file ?? "")).toMatchObject({
      settings: { budgetMicroUsd: 3_000_000 },
      lines: { budgetMicroUsd: 2 },
    });
  });

  it("lists the first unknown keys and counts the others", () => {
    const keys = Array.from({ length: 6_000 }, (_, index) => `k${String(index)} = 1\n`).join("");

    const { warnings } = parseConfig("config.toml", `[raymond]\n${keys}[k]\n[l]\n`);

    expect(warnings).toHaveLength(21);
    expect(warnings[0]).toContain("config.toml:6002: unknown table [k]");
    expect(warnings[2]).toContain("config.toml:2: unknown key k0");
    expect(warnings.at(-1)).toBe("config.toml: 5982 more keys and tables are ignored.");
  });

  it("is rejected, not skipped, when it cannot be read", async () => {
    await mkdir(join(root, "config.toml"));
    await expect(loadConfig(join(root, "config.toml"))).rejects.toMatchObject({
      code: "config/invalid",
    });
    await writeFile(join(root, "latin1.toml"), Buffer.from([0x23, 0xe4]));
    await expect(loadConfig(join(root, "latin1.toml"))).rejects.toMatchObject({
      code: "config/invalid",
    });
  });
});

describe("the name of a flag", () => {
  it.each([
    ["no_debug = true", "no_debug", "debug = false"],
    ["no_debug = false", "no_debug", "debug = true"],
    ["no-wait = true", "no-wait", "wait = false"],
    ["keep-going = true", "keep-going", "keep_going"],
  ])("causes a suggestion of the correct line: %s", (line, key, meant) => {
    const { warnings } = parseConfig(FILE, `[raymond]\n${line}\n`);

    expect(warnings).toEqual([`${FILE}:2: unknown key ${key} is ignored; did you mean ${meant}?`]);
  });
});
