import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { FLAG_GROUPS } from "../../src/cli/flag-groups.ts";
import { program } from "../../src/cli/program.ts";
import { settingsOf } from "../../src/cli/run-flags.ts";
import { readText } from "../../src/config/option.ts";
import { allOptions, DEFAULTS, switches } from "../../src/config/settings.ts";
import { keepingShell } from "../support/shell.ts";

const root = program(keepingShell("/"));
const flags = FLAG_GROUPS.flatMap((group) => group.flags);

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
        expect(helpOf(way)).toContain(`--[no-]${name} `);
      }
    },
  );

  it("is a setting both ways, and none where nothing is said", () => {
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

describe("a text that stands for nothing", () => {
  it("takes away what the file says", () => {
    expect(settingsOf({ notify: "none", model: "default", claude: "claude" })).toEqual({
      notify: null,
      model: null,
      client: null,
    });
  });

  it.each([
    ["notify", { notify: "" }],
    ["model", { model: "" }],
    ["claude", { claude: " " }],
  ])("is not the empty one: --%s", (flag, options) => {
    expect(() => settingsOf(options)).toThrow(`--${flag} cannot be "`);
  });
});

describe("the help", () => {
  it("of a new run tells the defaults that new runs have", () => {
    const told = flags.flatMap(({ name, standard }) => {
      const option = allOptions().find(({ key }) => key === name.replaceAll("-", "_"));
      return option === undefined || standard === undefined ? [] : [{ name, standard, option }];
    });

    for (const { name, standard, option } of told) {
      const value = DEFAULTS[option.field];
      if (name === "claude") expect(standard).toBe("claude on PATH");
      else if (typeof value === "boolean") expect(standard).toBe(value ? "on" : "off");
      else expect(readText(option, standard)).toEqual({ ok: true, value });
      expect(helpOf("run")).toContain(`(default: ${standard})`);
    }
    expect(told.length).toBeGreaterThan(8);
  });

  it("of resume has no default but that of the run's name, and no option that it refuses", () => {
    const help = helpOf("resume");

    expect(help.match(/\(default: .*?\)/g)).toEqual(['(default: "latest")']);
    for (const { name, only } of flags) {
      if (only === "start" || only === "new") expect(help).not.toContain(`--${name} `);
      else expect(help).toMatch(new RegExp(` --(\\[no-\\])?${name} `));
    }
  });

  it("of run has no option that is for resume", () => {
    for (const { name } of flags.filter(({ only }) => only === "resume")) {
      expect(helpOf("run")).not.toContain(`--${name} `);
      expect(helpOf("raymond")).toMatch(new RegExp(`--${name}(?: <\\w+>)? +on resume: `));
    }
  });
});
