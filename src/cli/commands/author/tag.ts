import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { nearest } from "../../../language/basics/nearest.ts";
import { partsOf } from "../../../language/protocol/parts.ts";
import { printTransition } from "../../../language/protocol/print.ts";
import { readElement } from "../../../language/protocol/read-element.ts";
import { excerpt } from "../../../language/protocol/scan/excerpt.ts";
import { TAG_TABLE } from "../../../language/protocol/tag-table.ts";
import { readTagWords, type TagWord } from "../../../language/protocol/tag-words.ts";
import { TAGS, type Tag } from "../../../language/protocol/transition.ts";
import { action, examples } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<tag>", "Tag, such as goto, reset, fork or result (raymond help tags)")
    .argument("[words...]", "TARGET (- reads standard input), --NAME VALUE, --NAME-file FILE")
    .passThroughOptions()
    .addHelpText(
      "after",
      examples(
        ['raymond tag reset WORK --input "$item"', "Any text in an attribute"],
        ["raymond tag result - <report.md", "Payload from standard input"],
        ["raymond tag goto FIX --input-file log.txt", "Attribute from a file"],
        ["raymond tag fork WORKER --item-lines list.txt", "One tag per line of a file"],
      ),
    )
    .action(
      action(shell, async (options: TagCommandOptions) => {
        if (asksForHelp(options.words)) command.outputHelp();
        else await tagCommand(options, shell);
      }),
    );
}

interface TagCommandOptions {
  readonly tag: string;
  readonly words: readonly string[];
}

/** `raymond tag goto --help`. An attribute may be called `help`, and a payload may be `-h`. */
function asksForHelp(words: readonly string[]): boolean {
  if (words.length === 1 && words[0] === "-h") return true;
  const read = readTagWords(words);
  return "fault" in read && read.fault.kind === "no-value" && read.fault.word === "--help";
}

async function tagCommand(options: TagCommandOptions, shell: Shell): Promise<void> {
  const tag = tagOf(options.tag);
  const words = readWords(tag, options.words);
  for (const row of await readTexts(tag, words, shell)) {
    const read = readElement({
      tag,
      attributes: row.flatMap(({ name, text }) => (name === null ? [] : [[name, text] as const])),
      content: row.find(({ name }) => name === null)?.text ?? "",
    });
    if (!read.ok) throw cliErrors["cli/bad-tag"](read.fault.message, hintFor(tag));
    shell.out.line(printTransition(read.transition));
  }
}

function tagOf(word: string): Tag {
  const found = TAGS.find((tag) => tag === word);
  if (found !== undefined) return found;
  const guess = nearest(word, TAGS);
  const meant = guess === null ? "" : `Did you mean ${guess}? `;
  throw cliErrors["cli/bad-tag"](
    `Unknown tag "${word}".`,
    `${meant}The tags are: ${TAGS.join(", ")}.`,
  );
}

function readWords(tag: Tag, words: readonly string[]): readonly TagWord[] {
  const read = readTagWords(words);
  const { name } = TAG_TABLE[tag].content;
  if ("values" in read) {
    if (read.values.some((word) => word.name === null)) return read.values;
    throw cliErrors["cli/bad-tag"](
      `<${tag}> needs a ${name}.`,
      `Add it as an argument: raymond tag ${tag} TEXT, or - to read standard input.`,
    );
  }
  const { kind, word } = read.fault;
  if (kind === "no-value") throw cliErrors["cli/bad-tag"](`${word} needs a value.`, hintFor(tag));
  throw cliErrors["cli/bad-tag"](
    `<${tag}> has one ${name}, and "${excerpt(word)}" is a second one.`,
    "Quote the text, so that the shell passes it as one argument.",
  );
}

interface Text {
  readonly name: string | null;
  readonly text: string;
}

/** The values of each tag to print. A list of lines makes one tag per line. */
async function readTexts(
  tag: Tag,
  given: readonly TagWord[],
  shell: Shell,
): Promise<readonly (readonly Text[])[]> {
  if (given.filter(({ from, value }) => from !== "text" && value === "-").length > 1) {
    throw cliErrors["cli/bad-tag"]("Only one value can be read from standard input.", hintFor(tag));
  }
  const lists = given.filter(({ from }) => from === "lines");
  if (lists.length > 1 || (lists.length > 0 && !TAG_TABLE[tag].startsAgent)) {
    throw cliErrors["cli/bad-tag"](
      `--${lists[0]?.name ?? ""}-lines cannot be used here: it prints one tag per line.`,
      "Use it once, with fork or fork-workflow. An output contains only one of the other tags.",
    );
  }
  const read = await Promise.all(
    given.map(async ({ name, from, value }) => {
      const text = from === "text" ? value : await readText(value, shell);
      return { name, from, text };
    }),
  );
  const list = read.find(({ from }) => from === "lines");
  if (list === undefined) return [read];
  return list.text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => read.map((one) => (one === list ? { ...one, text: line } : one)));
}

/** Removes the last line end, as `$(cat FILE)` does. */
async function readText(file: string, shell: Shell): Promise<string> {
  const text = file === "-" ? await shell.readStdin() : await readNamed(file, shell);
  return text.replace(/\r?\n$/, "");
}

async function readNamed(file: string, shell: Shell): Promise<string> {
  try {
    return await readFile(path.resolve(shell.cwd, file), "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw cliErrors["cli/bad-tag"](
      `Cannot read ${file}: ${reason}.`,
      "Give the path of a readable file.",
    );
  }
}

function hintFor(tag: Tag): string {
  const [content, ...own] = partsOf(tag);
  const names = own.map(({ name }) => `--${name}`);
  const data = TAG_TABLE[tag].startsAgent ? [...names, "--NAME of your own"] : names;
  const attributes = data.length === 0 ? "no attributes" : data.join(", ");
  return `<${tag}> has a ${content.name}, and ${attributes}: raymond help tags.`;
}
