import matter from "gray-matter";
import { type Position, TOP } from "../basics/place.ts";
import type { StateName } from "../protocol/transition.ts";
import type { PromptFile } from "./files/state-file.ts";
import { declaredContext, isFrontMatterKey, readDeclarations } from "./policy/declarations.ts";
import { NO_ENVIRONMENT } from "./policy/declared-environment.ts";
import { declaredPermissions } from "./policy/permission-keys.ts";
import { quoted } from "./quote.ts";
import { fileErrorAt, normalText } from "./yaml-fields.ts";
import { type ErrorAt, parseYaml, type Tree } from "./yaml-tree.ts";

/**
 * Parses a `.md` state (docs/authoring.md, "Front matter"). Throws {@link InvalidFileError} for
 * invalid front matter. Unknown keys are warnings. An empty body is allowed here: only the rendered
 * prompt must not be empty.
 */
export function parsePrompt(name: StateName, text: string, path: string = name): PromptFile {
  const errorAt = fileErrorAt(path);
  const source = normalText(text);
  const { tree, body: whole } = split(source, errorAt);
  const file = promptFile(name, tree, whole, errorAt);
  const bodyLine = source.slice(0, source.length - file.body.length).split("\n").length;
  return { ...file, bodyLine };
}

/** Creates a prompt. `from`: the position of its text in the file. */
export function promptFile(
  name: StateName,
  tree: Tree | null,
  text: string,
  errorAt: ErrorAt,
  from: Position = TOP,
): PromptFile {
  const body = text.replace(/^(?:[ \t]*\n)+/, "");
  const { declared, unknown } = readDeclarations(tree, errorAt);

  return {
    kind: "prompt",
    name,
    rules: declared.allowed_transitions ?? null,
    agents: declared.agent ?? null,
    model: declared.model ?? null,
    effort: declared.effort ?? null,
    fallbackModel: declared.fallback_model ?? null,
    maxTurns: declared.max_turns ?? null,
    onDenied: declared.on_denied ?? null,
    timeoutMs: declared.timeout ?? null,
    budgetMicroUsd: declared.budget ?? null,
    maxVisits: declared.max_visits ?? null,
    sandbox: declared.sandbox ?? null,
    context: declaredContext(declared, errorAt),
    permissions: declaredPermissions(declared, tree?.kind === "map" ? tree.entries : []),
    tools: declared.tools ?? null,
    allowedTools: declared.allowed_tools ?? null,
    disallowedTools: declared.disallowed_tools ?? null,
    requiredServers: declared.require_mcp ?? [],
    env: declared.env ?? NO_ENVIRONMENT,
    body,
    bodyLine: from.line + text.slice(0, text.length - body.length).split("\n").length - 1,
    bodyColumn: from.column,
    warnings: unknown,
  };
}

interface Parts {
  readonly tree: Tree | null;
  readonly body: string;
}

/** Parsing is slow on long blocks. */
const LONGEST_BLOCK = 64 * 1024;
/** gray-matter takes quadratic time on blank lines. */
const MOST_LINES = 2_000;

/** Splits front matter and prompt. Calls gray-matter only after checking the delimiter lines. */
function split(source: string, errorAt: ErrorAt): Parts {
  const [first = ""] = source.split("\n", 1);
  if (first !== "---") return withoutBlock(source, first, errorAt);

  const end = endOfBlock(source);
  if (end === -1) {
    throw errorAt(
      TOP,
      "The front matter is never closed.",
      "End it with a line that is exactly ---.",
    );
  }
  if (end > LONGEST_BLOCK) {
    throw errorAt(TOP, "The front matter exceeds 64 KiB.", "Shorten it.");
  }
  if (source.slice(0, end).split("\n", MOST_LINES + 1).length > MOST_LINES) {
    throw errorAt(TOP, "The front matter exceeds 2,000 lines.", "Shorten it.");
  }

  const { tree, content } = readBlock(`${source}\n`, errorAt);
  return { tree, body: content.replace(/\n$/, "") };
}

/** The offset of the line feed before the closing `---`, in a text that starts with `---`; -1: none. */
export function endOfBlock(source: string): number {
  // The line feed of the first line can close an empty block.
  return `${source}\n`.indexOf("\n---\n", 3);
}

/**
 * Splits a text that starts with a line of `---`. Second safeguard: texts with another language than
 * YAML are refused earlier; here every other engine throws, so that gray-matter never runs code.
 */
export function readBlock(
  text: string,
  errorAt: ErrorAt,
): { readonly tree: Tree | null; readonly content: string } {
  const refuse = (): never => {
    throw errorAt(TOP, "Front matter must be YAML.", "Rewrite it as YAML.");
  };
  // Without options gray-matter caches, and returns the same object twice.
  const file = matter(text, {
    delimiters: ["---", "---\n"],
    engines: {
      // The block starts at the end of line 1, so its line numbers are those of the file.
      yaml: (block: string) => ({ tree: parseYaml(block, errorAt) }),
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

function withoutBlock(source: string, first: string, errorAt: ErrorAt): Parts {
  const language = /^---[ \t]*([\w+.-]+)[ \t]*$/.exec(first)?.[1];
  // Separate test for a letter: within the expression above it takes quadratic time.
  if (language !== undefined && /[A-Za-z]/.test(language)) {
    throw errorAt(
      TOP,
      `Front matter must be YAML, but it starts with ${quoted(`---${language}`)}. Nothing in it was executed.`,
      "Write YAML, and start it with a line that is exactly ---.",
    );
  }

  const line = misplacedBlock(source);
  if (line !== null) {
    throw errorAt(
      { line, column: 1 },
      "Front matter must start in line 1, with a line that is exactly ---. This block would be part of the prompt, without effect.",
      "Move it to the top, and remove other characters around ---. If it is part of the prompt, write *** instead of ---.",
    );
  }
  return { tree: null, body: source };
}

/** Lines in which misplaced front matter is searched. */
const SEARCHED_LINES = 500;
const BLANK_OR_COMMENT = /^\s*(?:$|#|\/\/)/;
/** Also other dashes, the delimiter of TOML, and invisible characters. */
const DELIMITER = /^[\s\u200b\u2060]*(?:-{2,}|[\u2013\u2014]{1,3}|\+{3})[\s\u200b\u2060]*(?:#.*)?$/;
const FIRST_KEY = /^\s*["']?([A-Za-z][\w-]*)["']?\s*[:=](?:\s|$)/;

/**
 * The line of a block that looks like front matter, but follows blank lines or comments, or does not start with exactly
 * `---`; null: none. Its limits would be lost.
 */
function misplacedBlock(source: string): number | null {
  const lines = source.split("\n", SEARCHED_LINES);
  let inComment = false;
  for (const [index, line] of lines.entries()) {
    if (inComment || line.trimStart().startsWith("<!--")) {
      inComment = !line.includes("-->");
      continue;
    }
    if (BLANK_OR_COMMENT.test(line)) continue;
    if (!DELIMITER.test(line)) return null;
    const block = lines.slice(index + 1);
    const first = block.find((one) => !BLANK_OR_COMMENT.test(one)) ?? "";
    const key = FIRST_KEY.exec(first)?.[1];
    if (key === undefined) return null;
    const isClosed = block.some((one) => DELIMITER.test(one));
    return isClosed || isFrontMatterKey(key) ? index + 1 : null;
  }
  return null;
}
