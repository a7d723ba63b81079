import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { STATE_DIR_COMMANDS } from "../../../src/cli/commands/command-list.ts";
import { commandTree, runCommandLine } from "../../../src/cli/parse/tree.ts";
import { meantBy, SYNONYMS } from "../../../src/cli/parse/unknown-command.ts";
import { EXIT, exitCodeOf, exitCodesText } from "../../../src/cli/words/exit-codes.ts";
import { commandPrefixer } from "../../../src/cli/words/report-error.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";
import { tempFolder } from "../../support/folders.ts";
import { testShell } from "../../support/test-shell.ts";

async function obey(line: string | readonly string[], cwd = "/") {
  const shell = testShell(cwd);
  const words = typeof line === "string" ? line.split(" ") : line;
  const error = await runCommandLine(["node", "raymond", ...words], shell).catch(
    (reason: unknown) => reason,
  );
  return { error, stdout: shell.stdout(), stderr: shell.stderr() };
}

describe("raymond --help", () => {
  it("lists common commands by groups, and is printed by raymond without arguments", async () => {
    const { stdout } = await obey("--help");
    const headings = [...stdout.matchAll(/^[A-Z][\w ]+$/gm)].map(([heading]) => heading);
    const commands = [...stdout.matchAll(/^ {2}([a-z][\w-]*) {2,}/gm)].map(([, name]) => name);

    expect(headings).toEqual(["Run", "Inspect", "Control", "Author", "Set up", "Common options"]);
    expect(commands).toEqual(expect.arrayContaining(["run", "resume", "list", "doctor"]));
    expect(commands.length).toBeLessThanOrEqual(20);
    expect((await obey([])).stdout).toBe(stdout);
  });

  it("with all lists every command", async () => {
    const { stdout } = await obey("help all");
    const root = await commandTree(testShell("/"));

    for (const command of root.commands) {
      expect(stdout).toMatch(new RegExp(`^  ${command.name()} {2,}[A-Z]`, "m"));
    }
    expect(stdout).toMatch(/^ {2}fleet limits {2,}[A-Z]/m);
  });
});

describe("every command", () => {
  it("has help texts that start in upper case and have no full stop", async () => {
    const all = (parent: Command): readonly Command[] => [parent, ...parent.commands.flatMap(all)];
    const root = await commandTree(testShell("/"));
    const texts = all(root).flatMap((command) => [
      ...command.options.flatMap(({ flags, hidden, description }) =>
        hidden ? [] : [[`${command.name()} ${flags}`, description] as const],
      ),
      ...command.registeredArguments.map(
        (each) => [`${command.name()} ${each.name()}`, each.description] as const,
      ),
    ]);

    for (const [name, text] of texts) expect(text, name).toMatch(/^(?:[A-Z]|\{\{).*[^.]$/);
    expect(texts.length).toBeGreaterThan(200);
  });

  it("is listed in STATE_DIR_COMMANDS if it has --state-dir", async () => {
    const { commands } = await commandTree(testShell("/"));
    const having = commands
      .filter(({ options }) => options.some(({ long }) => long === "--state-dir"))
      .map((command) => command.name());

    expect(STATE_DIR_COMMANDS).toEqual(having);
  });
});

describe("an empty path", () => {
  it.each(["graph", "explain", "lint", "test", "run"])(
    "is not the current folder: raymond %s ''",
    async (name) => {
      const { error } = await obey([name, ""]);

      expect(error).toMatchObject({ code: "cli/bad-flag" });
    },
  );
});

describe("raymond run --help", () => {
  it("shows optional parts of a value in brackets", async () => {
    const { stdout } = await obey("run --help");

    expect(stdout).toContain("--client [AGENT=]PATH");
    expect(stdout).toContain("--worktree [NAME]");
    expect(stdout).toContain("--env-set NAME=VALUE");
  });
});

describe("a usage error", () => {
  it.each([
    [
      "list --stat x",
      "cli/unknown-option",
      "Did you mean --status? Show its options with: raymond list --help",
    ],
    ["list more", "cli/too-many-arguments", "raymond list --help"],
    ["lint", "cli/missing-argument", "raymond lint --help"],
    ["list --state-dir", "cli/missing-argument", "raymond list --help"],
    ["rerun x", "cli/missing-argument", "raymond rerun --help"],
    ["list --status faild", "cli/bad-flag", "Did you mean failed?"],
    [
      "list --status faild",
      "cli/bad-flag",
      "Show the options and their values with: raymond list --help",
    ],
    ["logs --since x", "cli/bad-flag", "raymond logs --help"],
    ["flow --budget five", "cli/bad-flag", "raymond help run"],
    ["resume --budget five", "cli/bad-flag", "raymond resume --help"],
    ["flow --budegt 5", "cli/unknown-option", "raymond help run"],
    ["flow --env-pass=", "cli/bad-flag", "raymond help run"],
    ["flow --allow ,", "cli/bad-flag", "raymond help run"],
    ["flow --workflow-path=", "cli/bad-flag", "raymond help run"],
    ["resume --due latest", "cli/flag-conflict", "Leave out --due to resume latest alone."],
    ["report x --output x.png", "cli/bad-flag", "raymond report --help"],
    ["completion pwsh", "cli/bad-flag", "raymond completion --help"],
    ["rerun x 1 --dry-run --edit", "cli/flag-conflict", "raymond rerun --help"],
    ["fleet drain", "cli/missing-argument", "raymond fleet drain --help"],
  ])(
    "has a code, and a hint with the help of its command: raymond %s",
    async (words, code, hint) => {
      const { error, stderr } = await obey(words);

      expect(error).toBeInstanceOf(RaymondError);
      expect(error).toMatchObject({ code, hint: expect.stringContaining(hint) as string });
      expect(exitCodeOf(error)).toBe(EXIT.usage);
      expect(stderr).toBe("");
    },
  );
});

describe("raymond help", () => {
  it.each([
    ["help tags", '<call return="C">B</call>'],
    ["help environment", "RAYMOND_BUDGET"],
    ["help environment", "RAYMOND_RESULT_FILE"],
    ["help exit-codes", exitCodesText()],
    ["help stop", "--timeout DURATION"],
    ["help retry", "usage limit"],
    ["help cost", "by agent, state, model and coding agent"],
    ["help doctor", "--json"],
    ["help prune", "--older-than DURATION"],
    ["help fleet drain", "Return the machine to service"],
    ["help", "raymond help all"],
  ])("explains: %s", async (words, text) => {
    const { stdout, stderr } = await obey(words);

    expect(stdout.replaceAll(/\s+/g, " ")).toContain(text.replaceAll(/\s+/g, " "));
    expect(stderr).toBe("");
  });

  it.each([
    ["help exit-code", "Did you mean: raymond help exit-codes"],
    ["help statsu", "Did you mean: raymond help status"],
    ["help ls", "Did you mean: raymond help list"],
    ["help nothing-like-it", "Topics: run, resume, rerun,"],
  ])("suggests the nearest topic, or lists all: %s", async (words, hint) => {
    const { error } = await obey(words);

    expect(error).toMatchObject({
      code: "cli/unknown-topic",
      hint: expect.stringContaining(hint) as string,
    });
  });
});

describe("a mistyped command", () => {
  it.each([
    ["lst", "list"],
    ["lst --all", "list"],
    ["stat one", "status"],
    ["STOP", "stop"],
    ["retyr", "retry"],
    ["docter --json", "doctor"],
    ["ls", "list"],
    ["ps --all", "list"],
    ["kill one", "stop"],
    ["tail -f", "logs"],
    ["rm one", "prune"],
    ["continue", "resume"],
    ["--quiet ls", "list"],
    ["-- ls", "list"],
  ])("is answered with the one that was meant: %s", async (words, command) => {
    const cwd = await tempFolder();

    const { error } = await obey(words, cwd);

    expect(error).toMatchObject({
      code: "workflow/not-found",
      hint: expect.stringContaining(`Did you mean: raymond ${command}?`) as unknown,
    });
  });

  it("is not a command, and suggests an existing one", async () => {
    const root = await commandTree(testShell("/"));
    const names = root.commands.map((command) => command.name());

    for (const word of Object.values(SYNONYMS).flat()) {
      expect(names).not.toContain(word);
      expect([...names, "--init-config", "--version"]).toContain(meantBy(word, names));
    }
  });

  it("can be suggested as an option", async () => {
    const { error } = await obey("config", await tempFolder());

    expect(error).toMatchObject({
      hint: expect.stringContaining("Did you mean: raymond --init-config?") as unknown,
    });
  });

  it.each(["ls", "kill"])("is accepted as the name of a workflow: %s", async (word) => {
    const cwd = await tempFolder();
    await mkdir(path.join(cwd, word));

    const { error } = await obey(word, cwd);

    expect(error).toMatchObject({ code: "workflow/not-a-workflow" });
  });

  it.each(["./lst", "workflows", "lst.md"])(
    "is not seen in a path or a far word: %s",
    async (words) => {
      const cwd = await tempFolder();

      const { error } = await obey(words, cwd);

      expect(error).toMatchObject({
        code: "workflow/not-found",
        hint: expect.not.stringContaining("command") as unknown,
      });
    },
  );
});

describe("a run where a workflow belongs", () => {
  it.each([
    ["wf-2026-11-22-abcdef", "raymond resume wf-2026-11-22-abcdef"],
    ["wf-2026-11-22-abcdef status", "raymond status wf-2026-11-22-abcdef"],
    ["run wf-2026-11-22-abcdef", "raymond resume wf-2026-11-22-abcdef"],
    ["--state-dir D wf-2026-11-22-abcdef", "raymond --state-dir D resume wf-2026-11-22-abcdef"],
    ["latest", "raymond resume latest"],
    ["gone.json", "raymond list"],
  ])("is answered with a command that continues the run: %s", async (words, command) => {
    const { error } = await obey(words, await tempFolder());

    expect(error).toMatchObject({
      code: "workflow/not-found",
    });
    const { hint } = error as RaymondError;
    expect(commandPrefixer(words.split(" "), STATE_DIR_COMMANDS)(hint ?? "")).toContain(
      `\`${command}\``,
    );
  });

  it("is a workflow if one has that name", async () => {
    const cwd = await tempFolder();
    for (const name of ["wf-2026-11-22-abcdef", "odd.json"]) {
      await mkdir(path.join(cwd, name));
      const { error } = await obey(name, cwd);
      expect(error).toMatchObject({
        code: "workflow/not-a-workflow",
        message: expect.stringContaining(path.join(cwd, name)) as unknown,
      });
    }
  });
});

describe("what says nothing", () => {
  it.each([
    [["--init-config", "w"], "does not take WORKFLOW"],
    [["--init-config", "--budget", "3"], "does not take --budget"],
    [["--init-config", "--no-debug"], "does not take --no-debug"],
    [["--init-config", "--resume"], "does not take --resume"],
    [["--budget", "3"], "--budget needs a WORKFLOW"],
    [["--no-wait"], "--no-wait needs a WORKFLOW"],
    [[""], 'WORKFLOW cannot be ""'],
    [["run", ""], 'WORKFLOW cannot be ""'],
  ])("is refused, not dropped: %j", async (words, text) => {
    const { error, stdout } = await obey(words, await tempFolder());

    expect(error).toMatchObject({ message: expect.stringContaining(text) as string });
    expect(exitCodeOf(error)).toBe(EXIT.usage);
    expect(stdout).toBe("");
  });

  it("is rejected as a folder as well", async () => {
    const { error } = await obey(["--state-dir", "", "list"]);

    expect(error).toMatchObject({ code: "cli/bad-flag" });
  });
});

describe("an option before a command", () => {
  it("belongs to that command", async () => {
    const cwd = await tempFolder();

    const said = await obey("--state-dir elsewhere list", cwd);

    expect(said.error).toBeUndefined();
    expect(said.stderr).toContain(`${cwd}/elsewhere`);
  });

  it("belongs to a nested command as well", async () => {
    const { error } = await obey("fleet --url nonsense limits");

    expect(error).toMatchObject({ code: "fleet/bad-url" });
  });

  it.each([
    ["--budget 3 list", "raymond list has no option --budget."],
    ["--no-wait list", "raymond list has no option --no-wait."],
  ])("is refused where the command does not have it: %s", async (words, message) => {
    const { error } = await obey(words);

    expect(error).toMatchObject({ code: "cli/unknown-option", message });
  });
});
