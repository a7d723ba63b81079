import type { OutlinedMove, ReadState } from "../outline/outline.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import { extensionOf } from "../workflow/state-name.ts";
import type { Found } from "./finding.ts";
import { isByTag } from "./flow.ts";

/**
 * The attributes of echoed tags that hold a variable: its text could end the
 * attribute, or the tag. `raymond tag` and single quotes, which keep a variable
 * from being read, are none.
 */
export function unescapedVariables({ file, source, moves, name }: ReadState): readonly Found[] {
  const ending = extensionOf(name);
  if (file.kind === "prompt" || (ending !== ".sh" && ending !== ".ps1")) return [];
  const lines = file.body.split("\n");
  return moves.flatMap((move) => {
    if (!isByTag(move) || move.origin !== "mentioned") return [];
    const line = lines[move.at.line - file.bodyLine] ?? "";
    const column = move.at.column - file.bodyColumn;
    if (!isEchoed(line, column)) return [];
    return attributesOf(move).flatMap(([attribute, value]) => {
      const variable = variableIn(value, file.body);
      if (variable === null) return [];
      return [
        {
          source,
          at: move.at,
          message: `The ${attribute} of this <${move.by}> holds ${variable} unescaped: a quote in its value breaks the tag, and text from elsewhere could add a tag.`,
          hint: `Print it with raymond tag, which escapes every value: raymond tag ${move.by} … --${attribute} "${variable}"`,
        },
      ];
    });
  });
}

function attributesOf(move: OutlinedMove): readonly (readonly [string, string])[] {
  if (!isByTag(move)) return [];
  const { name: content } = TAG_TABLE[move.by].content;
  return Object.entries(move.values).filter(([name]) => name !== content);
}

/** Whether a tag stands here, in a text whose variables the shell fills in. */
function isEchoed(line: string, column: number): boolean {
  if (!/^[\\`]?</.test(line.slice(column))) return false;
  let quote = "";
  for (let at = 0; at < column; at += 1) {
    const char = line[at] ?? "";
    if (quote !== "'" && (char === "\\" || char === "`")) at += 1;
    else if (char === quote) quote = "";
    else if (quote === "" && (char === '"' || char === "'")) quote = char;
  }
  return quote !== "'";
}

/** The first variable or command in a value that can hold any text; null where there is none. */
function variableIn(value: string, body: string): string | null {
  for (const [found, name] of value.matchAll(VARIABLE)) {
    if (name === undefined || !(ALWAYS_PLAIN.has(name) || isPlain(name, body))) return found;
  }
  return null;
}

/** A variable with its name, or a command; not `$((…))`, `$#`, `$?`, `$$` and `${#x}`, which are numbers. */
const VARIABLE = /\$\{?(?:([A-Za-z_]\w*)|[@*0-9])[^}\s"]*\}?|\$\((?!\()[^)]*\)?|`[^`]*`/g;

/** What raymond and the shell set, without a quote in it. */
const ALWAYS_PLAIN: ReadonlySet<string> = new Set([
  ...["RAYMOND_WORKFLOW_ID", "RAYMOND_AGENT_ID", "RAYMOND_ATTEMPT", "RAYMOND_STATE"],
  ...["RANDOM", "SECONDS", "LINENO"],
]);

/** Whether all that a script assigns to a variable is plain words and numbers. */
function isPlain(name: string, body: string): boolean {
  if (new RegExp(`\\b(?:read|mapfile|readarray)\\b[^\\n]*\\b${name}\\b`).test(body)) return false;
  const assigned = [
    ...body.matchAll(new RegExp(`${COMMAND}${name}=(\\$\\(\\(.*?\\)\\)|[^\\s;]*)`, "gm")),
    ...body.matchAll(new RegExp(`\\bfor[ \\t]+${name}[ \\t]+in[ \\t]+([^;\\n]*)`, "g")),
  ].map(([, value = ""]) => value.trim());
  return assigned.length > 0 && assigned.every((value) => PLAIN.test(value));
}

/** Where an assignment may stand; in a tag, `name=` is none. */
const COMMAND = String.raw`(?:^[ \t]*|[;&|({][ \t]*|\b(?:do|then|else|export|local|declare|readonly)[ \t]+)`;

/** Words that need no quotes, `{1..5}`, `$(seq 5)`, `$((n + 1))`. */
const PLAIN =
  /^(?:[\w.,:/ \t-]+|"[\w.,:/ -]*"|'[\w.,:/ -]*'|\{\d+\.\.\d+\}|\$\(seq [\d ]+\)|\$\(\(.*\)\))$/;
