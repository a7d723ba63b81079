import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { program } from "../../src/cli/program.ts";
import { keepingShell } from "../support/shell.ts";

const page = await readFile(path.join(import.meta.dirname, "../../docs/cli.md"), "utf8");
const root = program(keepingShell("/"));

/** The text under the heading of this name, to the next one. */
function section(heading: string): string {
  const found = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`docs/cli.md has no section "${heading}"`);
  return found;
}

/** Where a command is described; the two ways to say a thing share a section. */
function sectionOf(command: Command): string {
  const name = command.name();
  if (name === "raymond" || name === "run") return section("raymond WORKFLOW");
  if (name === "resume") return section("raymond WORKFLOW") + section("raymond --resume");
  if (name === "rerun") return section("raymond WORKFLOW") + section("raymond rerun");
  if (name === "submit") return section("raymond WORKFLOW") + section("raymond submit");
  return section(`raymond ${name}`);
}

/** Flags that stand in the first column of a table. */
function documented(text: string): readonly string[] {
  return [...text.matchAll(/^\| (`--.*?`)(?: \||, )/gm)].flatMap(([, cell = ""]) => [
    ...(cell.match(/--[\w-]+/g) ?? []),
  ]);
}

describe("docs/cli.md", () => {
  it.each([root, ...root.commands].map((command) => [command.name(), command] as const))(
    "has every option of %s, each with its value",
    (_, command) => {
      const text = sectionOf(command);
      const help = command.helpInformation();
      for (const { long, required, flags, negate } of command.options) {
        if (long === "--resume") continue;
        // That all others have one too is said in one sentence.
        if (negate && !help.includes(flags.replace("--no-", "--[no-]"))) continue;
        expect(text, flags).toMatch(new RegExp(`\`${String(long)}${required ? " [^`]+" : ""}\``));
      }
    },
  );

  it("has no option that is none", () => {
    const known = new Set(
      [root, ...root.commands].flatMap(({ options }) => options.map((o) => o.long)),
    );

    for (const flag of documented(page)) expect([...known, "--help"]).toContain(flag);
    expect(documented(page).length).toBeGreaterThan(30);
  });

  it("has every command in its table, and every exit code", () => {
    for (const command of root.commands) {
      expect(page).toMatch(new RegExp(`^\\|.*\`raymond ${command.name()}\``, "m"));
    }
    const codes = section("Exit codes");
    for (const code of Object.values(EXIT))
      expect(codes).toMatch(new RegExp(`\\b${String(code)}\\b`));
  });

  it("links to sections and pages that are there", async () => {
    for (const [, target = ""] of page.matchAll(/\]\(([^)]+)\)/g)) {
      const [file = "", section] = target.split("#");
      const text =
        file === ""
          ? page
          : await readFile(path.join(import.meta.dirname, "../../docs", file), "utf8");
      const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, title = ""]) =>
        title.toLowerCase().replaceAll(" ", "-"),
      );
      if (section !== undefined) expect(headings).toContain(section);
    }
  });
});
