import type { OutlinedMove, ReadState } from "../../language/outline/outline.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import { extensionOf } from "../../language/workflow/files/state-name.ts";
import { isByTag } from "../moves.ts";
import type { Found } from "./finding.ts";

/**
 * Attributes of echoed tags that contain a variable: its value could end the attribute or the tag.
 * Tags printed by `raymond tag` and tags in single quotes, which the shell does not expand, are safe.
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
          message: `The attribute ${attribute} of <${move.by}> contains ${variable} unescaped: a quote in the value breaks the tag, and untrusted text could add another tag.`,
          hint: `Use raymond tag, which escapes every value: raymond tag ${move.by} … --${attribute} "${variable}"`,
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

/** Whether a tag starts here in a string that the shell expands. */
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

/** The first variable or command substitution in a value that can expand to any text; null if none. */
function variableIn(value: string, body: string): string | null {
  for (const [found, name] of value.matchAll(VARIABLE)) {
    if (name === undefined || !(ALWAYS_PLAIN.has(name) || isPlain(name, body))) return found;
  }
  return null;
}

/** A variable or a command substitution; not `$((…))`, `$#`, `$?`, `$$` and `${#x}`, which are numbers. */
const VARIABLE = /\$\{?(?:([A-Za-z_]\w*)|[@*0-9])[^}\s"]*\}?|\$\((?!\()[^)]*\)?|`[^`]*`/g;

/** Variables of raymond and the shell whose values never contain a quote. */
const ALWAYS_PLAIN: ReadonlySet<string> = new Set([
  ...["RAYMOND_WORKFLOW_ID", "RAYMOND_AGENT_ID", "RAYMOND_ATTEMPT", "RAYMOND_STATE"],
  ...["RANDOM", "SECONDS", "LINENO"],
]);

/** Whether a script assigns only plain words and numbers to a variable. */
function isPlain(name: string, body: string): boolean {
  if (new RegExp(`\\b(?:read|mapfile|readarray)\\b[^\\n]*\\b${name}\\b`).test(body)) return false;
  const assigned = [
    ...body.matchAll(new RegExp(`${COMMAND}${name}=(\\$\\(\\(.*?\\)\\)|[^\\s;]*)`, "gm")),
    ...body.matchAll(new RegExp(`\\bfor[ \\t]+${name}[ \\t]+in[ \\t]+([^;\\n]*)`, "g")),
  ].map(([, value = ""]) => value.trim());
  return assigned.length > 0 && assigned.every((value) => PLAIN.test(value));
}

/** Where an assignment can start. `name=` inside a tag is not an assignment. */
const COMMAND = String.raw`(?:^[ \t]*|[;&|({][ \t]*|\b(?:do|then|else|export|local|declare|readonly)[ \t]+)`;

/** Words that need no quotes, `{1..5}`, `$(seq 5)`, `$((n + 1))`. */
const PLAIN =
  /^(?:[\w.,:/ \t-]+|"[\w.,:/ -]*"|'[\w.,:/ -]*'|\{\d+\.\.\d+\}|\$\(seq [\d ]+\)|\$\(\(.*\)\))$/;
