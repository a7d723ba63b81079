import { readFile } from "node:fs/promises";
import path from "node:path";
import { nearest } from "../../core/nearest.ts";
import { excerpt } from "../../core/protocol/excerpt.ts";
import { partsOf } from "../../core/protocol/parts.ts";
import { printTransition } from "../../core/protocol/print.ts";
import { readElement } from "../../core/protocol/read-element.ts";
import { TAG_TABLE } from "../../core/protocol/tag-table.ts";
import { readTagWords, type TagWord } from "../../core/protocol/tag-words.ts";
import { TAGS, type Tag } from "../../core/protocol/transition.ts";
import { BadTagError } from "../errors.ts";
import type { Shell } from "../shell.ts";

interface TagCommandOptions {
  readonly tag: string;
  readonly words: readonly string[];
}

/** `raymond tag TAG [TARGET] [--NAME VALUE…]`: prints a tag whose values are escaped, for scripts. */
export async function tagCommand(options: TagCommandOptions, shell: Shell): Promise<void> {
  const tag = tagOf(options.tag);
  const words = readWords(tag, options.words);
  for (const row of await readTexts(tag, words, shell)) {
    const read = readElement({
      tag,
      attributes: row.flatMap(({ name, text }) => (name === null ? [] : [[name, text] as const])),
      content: row.find(({ name }) => name === null)?.text ?? "",
    });
    if (!read.ok) throw new BadTagError(read.fault.message, hintFor(tag));
    shell.out.line(printTransition(read.transition));
  }
}

function tagOf(word: string): Tag {
  const found = TAGS.find((tag) => tag === word);
  if (found !== undefined) return found;
  const guess = nearest(word, TAGS);
  const meant = guess === null ? "" : `Did you mean ${guess}? `;
  throw new BadTagError(`Unknown tag "${word}".`, `${meant}The tags are: ${TAGS.join(", ")}.`);
}

function readWords(tag: Tag, words: readonly string[]): readonly TagWord[] {
  const read = readTagWords(words);
  if ("values" in read) return read.values;
  const { kind, word } = read.fault;
  if (kind === "no-value") throw new BadTagError(`${word} needs a value.`, hintFor(tag));
  const { name } = TAG_TABLE[tag].content;
  throw new BadTagError(
    `<${tag}> has one ${name}, and "${excerpt(word)}" is a second one.`,
    "Quote the text, so that the shell passes it as one word.",
  );
}

interface Text {
  readonly name: string | null;
  readonly text: string;
}

/** The values of each tag to print: of one, or of one for each line of a file. */
async function readTexts(
  tag: Tag,
  given: readonly TagWord[],
  shell: Shell,
): Promise<readonly (readonly Text[])[]> {
  if (given.filter(({ from, value }) => from !== "text" && value === "-").length > 1) {
    throw new BadTagError("Only one value can be read from standard input.", hintFor(tag));
  }
  const lists = given.filter(({ from }) => from === "lines");
  if (lists.length > 1 || (lists.length > 0 && !TAG_TABLE[tag].startsAgent)) {
    throw new BadTagError(
      `--${lists[0]?.name ?? ""}-lines cannot be used here: it prints one tag for each line.`,
      "Use it once, and with fork or fork-workflow: an output has one of the other tags.",
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

/** A text file ends with a line end that is no part of its value, as `$(cat FILE)` has it. */
async function readText(file: string, shell: Shell): Promise<string> {
  const text = file === "-" ? await shell.readStdin() : await readNamed(file, shell);
  return text.replace(/\r?\n$/, "");
}

async function readNamed(file: string, shell: Shell): Promise<string> {
  try {
    return await readFile(path.resolve(shell.cwd, file), "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BadTagError(`Cannot read ${file}: ${reason}.`, "Name a file that can be read.");
  }
}

function hintFor(tag: Tag): string {
  const [content, ...own] = partsOf(tag);
  const names = own.map(({ name }) => `--${name}`);
  const data = TAG_TABLE[tag].takesData ? [...names, "--NAME of your own"] : names;
  const attributes = data.length === 0 ? "no attributes" : data.join(", ");
  return `<${tag}> has a ${content.name}, and ${attributes}: raymond help tags.`;
}
