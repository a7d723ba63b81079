import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { withReference } from "../../../scripts/generators/reference.ts";
import { configFile } from "../../../src/author/init-config.ts";
import { commandTree } from "../../../src/cli/parse/tree.ts";
import { testShell } from "../../support/test-shell.ts";

const DOCS = path.join(import.meta.dirname, "../../../docs");
const page = await readFile(path.join(DOCS, "cli.md"), "utf8");
const root = await commandTree(testShell("/"));

function pathsOf(command: Command, path = ""): readonly string[] {
  return command.commands.flatMap((each) => {
    const name = `${path}${each.name()}`;
    return [name, ...pathsOf(each, `${name} `)];
  });
}

it("has a configuration file as --init-config writes it (npm run reference writes it)", async () => {
  const root = path.join(DOCS, "..");
  const file = path.join(root, ".raymond/config.toml");

  const text = await readFile(file, "utf8");

  expect(text).toBe(configFile(path.join(root, "schemas"), file));
});

describe("docs/cli.md", () => {
  it("has the reference of the command tree (npm run reference writes it)", () => {
    expect(withReference(page, root)).toBe(page);
  });

  it.each([...pathsOf(root), "commands", "exit-codes", "environment"])(
    "has a generated part for: %s",
    (name) => {
      expect(page).toContain(`<!-- ${name} -->`);
    },
  );

  it("names only options that exist", () => {
    const commands = (parent: Command): readonly Command[] => [
      parent,
      ...parent.commands.flatMap(commands),
    ];
    const known = new Set(commands(root).flatMap(({ options }) => options.map(({ long }) => long)));
    const prose = page.replaceAll(/<!-- [\w -]+ -->[\s\S]*?<!-- end -->/g, "");
    const named = [...prose.matchAll(/`[^`\n]*?(--(?!no-`)[a-z][\w-]+)/g)].map(
      ([, flag = ""]) => flag,
    );

    expect(named.length).toBeGreaterThan(30);
    for (const flag of named) {
      if (!NOT_OURS.has(flag)) expect([...known, "--help"], flag).toContain(flag);
    }
  });
});

/** Attributes of `raymond tag` in examples. */
const NOT_OURS: ReadonlySet<string> = new Set([
  ...["--timeout_next", "--return", "--item", "--next"],
  // Of systemctl.
  ...["--user", "--now"],
]);
