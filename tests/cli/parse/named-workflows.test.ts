import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandTree, runCommandLine } from "../../../src/cli/parse/tree.ts";
import { testShell } from "../../support/test-shell.ts";
import { SAMPLES } from "../../workflows/sample.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const commands = (await commandTree(testShell("/"))).commands.map((command) => command.name());

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

async function help(words: readonly string[]): Promise<string> {
  const shell = testShell("/");
  // Help ends the command line by throwing.
  await runCommandLine(["node", "raymond", ...words], shell).catch(() => undefined);
  return shell.stdout();
}

const texts: readonly (readonly [string, () => string | Promise<string>])[] = [
  ["raymond", () => help([])],
  ["raymond --help", () => help(["--help"])],
  ...commands.map((name) => [`raymond help ${name}`, () => help(["help", name])] as const),
  ...["README.md", "workflows/README.md", "docs/cli.md"].map(
    (file) => [file, () => read(file)] as const,
  ),
  ...SAMPLES.map((name) => `workflows/${name}/${name}.sim.yaml`).map(
    (file) => [file, () => read(file)] as const,
  ),
];

describe.each(texts)("%s", (_, text) => {
  it("names only packaged workflows", async () => {
    const named = [...(await text()).matchAll(/(?<![\w/])workflows\/([\w-]+)\b(?!\.)/g)];

    for (const [, name = ""] of named) expect(SAMPLES).toContain(name);
  });

  it("calls raymond only with existing commands and workflows", async () => {
    const all = await text();
    const calls = codeIn(all).matchAll(/(?:^|[`($] *|&& )raymond ([a-z][\w./-]*)/gm);
    const made = [...all.matchAll(/`([\w-]+)\/START\.\w+`|raymond init [\w-]+ ([\w-]+)/g)].map(
      ([, shown, written]) => shown ?? written,
    );

    for (const [call, word = ""] of calls) {
      if (!word.startsWith("workflows/")) expect([...commands, ...made], call).toContain(word);
    }
  });
});

/** What of a page can be copied to a command line: fences, backticks, and the lines of a help text that are set in. */
function codeIn(text: string): string {
  const fences = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  const spans = text.match(/`raymond [^`]*`/g) ?? [];
  const setIn = [...text.matchAll(/^ {2}(?:\$ )?(raymond .*)$/gm)].map(([, code = ""]) => code);
  return [...fences, ...spans, ...setIn].join("\n");
}

it("the first example of the help works in any folder", async () => {
  const [, example] = /Examples:\n +(.*?) {2}/.exec(await help(["--help"])) ?? [];

  expect(example).toBe("raymond tour");
});
