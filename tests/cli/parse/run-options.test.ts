import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addRunOptions, settingsOf } from "../../../src/cli/parse/run-options.ts";
import { commandTree, runCommandLine } from "../../../src/cli/parse/tree.ts";
import { defaultText, flagName, readText } from "../../../src/config/option.ts";
import { allOptions, DEFAULTS, switches } from "../../../src/config/settings.ts";
import { testShell } from "../../support/test-shell.ts";

const root = await commandTree(testShell("/"));

function command(name: string): Command {
  const found = [root, ...root.commands].find((one) => one.name() === name);
  if (found === undefined) throw new Error(`no command ${name}`);
  return found;
}

/** The help as one line, so that a broken line hides nothing. */
function helpOf(name: string): string {
  return command(name).helpInformation().replaceAll(/\s+/g, " ");
}

describe("a switch of the configuration", () => {
  it.each(switches().map(({ key }) => [key.replaceAll("_", "-")]))(
    "is on by --%s and off by its --no- form, on start and on resume",
    (name) => {
      for (const way of ["raymond", "run", "resume"]) {
        const known = command(way).options.map(({ long }) => long);
        expect(known).toEqual(expect.arrayContaining([`--${name}`, `--no-${name}`]));
        if (way !== "raymond") expect(helpOf(way)).toContain(`--[no-]${name} `);
      }
    },
  );

  it("sets a setting in both forms, and no setting if it is absent", () => {
    const off = { dangerouslySkipPermissions: false, keepGoing: false, wait: false };
    const on = { memory: true, debug: true, simulate: true };

    expect(settingsOf({ ...off, ...on })).toEqual({
      skipPermissions: false,
      keepGoing: false,
      wait: false,
      memory: true,
      debug: true,
    });
    expect(settingsOf({})).toEqual({});
  });
});

describe("--client", () => {
  const parsed = (...words: readonly string[]) => {
    const parser = addRunOptions(new Command(), null).exitOverride().parse(words, { from: "user" });
    return settingsOf(parser.opts()).clients;
  };

  it("names the clients of several agents, and that of the default agent", () => {
    expect(parsed("--client", "/opt/claude")).toEqual({ default: "/opt/claude" });
    expect(parsed("--client", "codex=/opt/codex", "--client", "pi=my=pi")).toEqual({
      codex: "/opt/codex",
      pi: "my=pi",
    });
    expect(parsed("--client", "/a=b/codex")).toEqual({ default: "/a=b/codex" });
  });

  it("includes its earlier name, which the help does not show", () => {
    expect(parsed("--claude", "/opt/claude", "--client", "codex=/opt/codex")).toEqual({
      claude: "/opt/claude",
      codex: "/opt/codex",
    });
    expect(shownBy("run")).not.toContain("--claude");
  });
});

describe("a word for null", () => {
  it("removes the value of the configuration file", () => {
    expect(settingsOf({ notify: "none", model: "default" })).toEqual({
      notify: null,
      model: null,
    });
  });

  it.each([
    ["notify", { notify: "" }],
    ["model", { model: "" }],
    ["client", { client: [" "] }],
  ])("cannot be empty: --%s", (flag, options) => {
    expect(() => settingsOf(options)).toThrow(`--${flag} cannot be "`);
  });
});

/** The options that the help of a command shows. */
function shownBy(name: string): readonly string[] {
  const shown = command(name).createHelp().visibleOptions(command(name));
  return shown.map(({ long }) => long ?? "");
}

describe("the help", () => {
  it("of a new run shows the defaults of new runs", () => {
    const defaults = allOptions().flatMap((option) => {
      const standard = defaultText(option);
      return standard === undefined ? [] : [{ option, standard }];
    });

    for (const { option, standard } of defaults) {
      const value = DEFAULTS[option.field];
      if (flagName(option) === "client") expect(standard).toBe("claude on PATH");
      else if (typeof value === "boolean") expect(standard).toBe(value ? "on" : "off");
      else expect(readText(option, standard)).toEqual({ ok: true, value });
      expect(helpOf("run")).toContain(`(default: ${standard})`);
    }
    expect(defaults.length).toBeGreaterThan(8);
  });

  it("of resume shows no defaults of new runs, and only options that resume takes", () => {
    expect(helpOf("resume")).not.toContain("(default: 16)");
    for (const flag of ["--start", "--input", "--var", "--run-id", "--simulate"]) {
      expect(shownBy("resume")).not.toContain(flag);
      expect(shownBy("run")).toContain(flag);
    }
    expect(shownBy("resume")).toEqual(expect.arrayContaining(["--add-budget", "--lost-session"]));
  });

  it("of run has no option of resume", () => {
    expect(shownBy("run")).not.toContain("--add-budget");
    expect(shownBy("run")).not.toContain("--take-over");
  });

  it("of submit has only options that have an effect there", () => {
    for (const flag of ["--detach", "--park", "--no-input", "--take-over"]) {
      expect(shownBy("submit")).not.toContain(flag);
    }
  });
});

describe("an option that a command does not take", () => {
  it.each([
    ["resume r --start X", "cli/flag-conflict"],
    ["resume r --workflow-id x", "cli/flag-conflict"],
    ["run w --add-budget 3", "cli/flag-conflict"],
    ["rerun r 1 --input x", "cli/flag-conflict"],
    ["submit w --detach", "cli/unknown-option"],
    ["run w --quiet --verbose", "cli/flag-conflict"],
  ])("is an error: raymond %s", async (words, code) => {
    const call = runCommandLine(["node", "raymond", ...words.split(" ")], testShell("/"));

    await expect(call).rejects.toMatchObject({ code });
  });
});

it("no option has another short form or another kind of value in another command", () => {
  const seen = new Map<string, string>();
  for (const each of all(root)) {
    for (const { flags, long, short, required, optional, negate } of each.options) {
      if (long === undefined || EXCEPTIONS.has(`${each.name()} ${long}`)) continue;
      const form = JSON.stringify([short, required || optional, negate]);
      expect(seen.get(long) ?? form, `${each.name()} ${flags}`).toBe(form);
      seen.set(long, form);
    }
  }
});

/** `raymond --resume RUN` names a run, and `raymond answer --resume` does not. */
const EXCEPTIONS: ReadonlySet<string> = new Set(["raymond --resume"]);

function all(parent: Command): readonly Command[] {
  return [parent, ...parent.commands.flatMap(all)];
}
