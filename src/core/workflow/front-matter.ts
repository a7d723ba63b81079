import matter from "gray-matter";
import type { Position } from "../place.ts";
import type { StateName } from "../protocol/transition.ts";
import { declaredContext, readDeclarations } from "./declarations.ts";
import { BadFrontMatterError } from "./errors.ts";
import { quoted } from "./quote.ts";
import type { FileWarning, PromptFile } from "./state-file.ts";
import { type Complain, parseYaml, type Tree } from "./yaml-tree.ts";

/**
 * Reads a `.md` state (docs/authoring.md, "Front matter"). Throws
 * {@link BadFrontMatterError}, with line and column in the file, for front
 * matter that is never closed, no mapping, bad YAML, of a wrong type, or
 * executable; unknown keys are warnings. An empty body is no error here: only
 * the rendered prompt must not be empty.
 */
export function parsePrompt(name: StateName, text: string, path: string = name): PromptFile {
  const complain: Complain = (at, problem, hint) => {
    return new BadFrontMatterError(path, at, problem, hint);
  };
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const { tree, body: whole, warnings } = split(source, complain);
  const file = promptFile(name, tree, whole, complain);
  // Whatever was taken off stood before it.
  const bodyLine = source.slice(0, source.length - file.body.length).split("\n").length;
  return { ...file, bodyLine, warnings: [...warnings, ...file.warnings] };
}

/** A prompt of these declarations, whose text begins here in its file. */
export function promptFile(
  name: StateName,
  tree: Tree | null,
  text: string,
  complain: Complain,
  from: Position = TOP,
): PromptFile {
  const body = text.replace(/^(?:[ \t]*\n)+/, "");
  const { declared, unknown } = readDeclarations(tree, complain);

  return {
    kind: "prompt",
    name,
    rules: declared.allowed_transitions ?? null,
    model: declared.model ?? null,
    effort: declared.effort ?? null,
    timeoutMs: declared.timeout ?? null,
    budgetMicroUsd: declared.budget ?? null,
    maxVisits: declared.max_visits ?? null,
    context: declaredContext(declared, complain),
    tools: declared.tools ?? null,
    allowedTools: declared.allowed_tools ?? null,
    disallowedTools: declared.disallowed_tools ?? null,
    body,
    bodyLine: from.line + text.slice(0, text.length - body.length).split("\n").length - 1,
    bodyColumn: from.column,
    warnings: unknown,
  };
}

interface Parts {
  readonly tree: Tree | null;
  readonly body: string;
  readonly warnings: readonly FileWarning[];
}

const TOP = { line: 1, column: 1 };
/** Longer blocks are not front matter, and some of what reads them is slow on long ones. */
const LONGEST_BLOCK = 64 * 1024;
/** The same for lines: over blank ones, gray-matter takes the square of their number. */
const MOST_LINES = 2_000;

/** Takes the block off the prompt; asks gray-matter only once the delimiter lines are known. */
function split(source: string, complain: Complain): Parts {
  const [first = ""] = source.split("\n", 1);
  if (first !== "---") return withoutBlock(source, first, complain);

  const end = endOfBlock(source);
  if (end === -1) {
    throw complain(
      TOP,
      "The front matter that begins here is never closed.",
      "End it with a line of exactly ---, without blanks.",
    );
  }
  if (end > LONGEST_BLOCK) {
    throw complain(TOP, "The front matter is longer than 64 KiB.", "Shorten it.");
  }
  if (source.slice(0, end).split("\n", MOST_LINES + 1).length > MOST_LINES) {
    throw complain(TOP, "The front matter is longer than 2,000 lines.", "Shorten it.");
  }

  const { tree, content } = readBlock(`${source}\n`, complain);
  return { tree, body: content.replace(/\n$/, ""), warnings: [] };
}

/** Where the line feed before the line that closes the block is, of a text that begins with a line of `---`; -1: none. */
export function endOfBlock(source: string): number {
  // An empty block is closed by the line feed that ends the first line.
  return `${source}\n`.indexOf("\n---\n", 3);
}

/**
 * The YAML of a text that begins with a line of `---`, and what follows the line
 * of `---` that ends it. A second lock: no text that names another language
 * reaches it, and from one that did nothing would be run; it throws.
 */
export function readBlock(
  text: string,
  complain: Complain,
): { readonly tree: Tree | null; readonly content: string } {
  const refuse = (): never => {
    throw complain(TOP, "Front matter in another language than YAML is refused.", "Write YAML.");
  };
  // Options are always given: without them gray-matter caches, and hands out one object twice.
  const file = matter(text, {
    delimiters: ["---", "---\n"],
    engines: {
      // The block begins at the end of line 1, so its line numbers are those of the file.
      yaml: (block: string) => ({ tree: parseYaml(block, complain) }),
      js: refuse,
      javascript: refuse,
      json: refuse,
      coffee: refuse,
      toml: refuse,
    },
  });
  if (file.language !== "yaml") refuse();
  const data: { readonly tree?: Tree | null } = file.data;
  return { tree: data.tree ?? null, content: file.content };
}

function withoutBlock(source: string, first: string, complain: Complain): Parts {
  const language = /^---[ \t]*([\w+.-]+)[ \t]*$/.exec(first)?.[1];
  // A letter is looked for by itself: in the expression above it took time by the square of the line.
  if (language !== undefined && /[A-Za-z]/.test(language)) {
    throw complain(
      TOP,
      `Front matter in another language is refused, and executable front matter (${quoted(`---${language}`)}) above all: nothing in it was run.`,
      "Write YAML, and begin it with a line of exactly ---.",
    );
  }

  const warnings: FileWarning[] = [];
  if (/^---[ \t]+$/.test(first)) {
    const message = "This line has blanks after ---, so the file has no front matter.";
    warnings.push({ line: 1, message, rule: "RAY108" });
  }
  const [blank] = /^(?:[ \t]*\n)+(?=---[ \t]*\n[\w-]+:)/.exec(source) ?? [];
  if (blank !== undefined) {
    const message =
      "There are blank lines before ---, so the file has no front matter: what follows is a part of the prompt.";
    warnings.push({ line: blank.split("\n").length, message, rule: "RAY108" });
  }
  return { tree: null, body: source, warnings };
}
