import type { Position } from "../../language/basics/place.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { RuleId } from "../../language/workflow/files/state-file.ts";

/** `error`: cannot run. `warning`: probably does not do what was intended. `note`: information. */
export const SEVERITIES = ["error", "warning", "note"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Finding {
  /** Never changes: `RAY201`. */
  readonly rule: RuleId;
  readonly severity: Severity;
  /** The file to edit. */
  readonly source: string;
  readonly at: Position;
  /** One sentence. */
  readonly message: string;
  readonly hint: string;
  /** The word to underline, at the position or after it; null: the whole line. */
  readonly word: string | null;
  /** Whether the line contains a secret and must not be printed. */
  readonly hidden: boolean;
  /** The safe fix; null if there is none. */
  readonly fix: Fix | null;
}

/** Replaces the word of the finding, or the text of the file. */
export type Fix =
  | { readonly kind: "word"; readonly by: string }
  | { readonly kind: "text"; readonly of: (text: string) => string };

/** A finding without the defaults, as the check of a rule returns it. */
export interface Found
  extends Pick<Finding, "source" | "at" | "message">,
    Partial<Pick<Finding, "severity" | "hint" | "word" | "hidden" | "fix">> {}

/** Moves the position of a finding to its word in the text of the file. */
export function locateWord(finding: Finding, text: string): Finding {
  const { at, word } = finding;
  if (word === null) return finding;
  // A rule can span several lines after its position.
  const lines = text.split("\n", at.line + 11).slice(at.line - 1);
  const pattern = new RegExp(`(?<![\\w.-])${word.replaceAll(/\W/g, "\\$&")}(?![\\w-])`, "u");
  for (const [index, line] of lines.entries()) {
    const from = index === 0 ? at.column - 1 : 0;
    const found = pattern.exec(line.slice(from));
    if (found !== null) {
      return { ...finding, at: { line: at.line + index, column: from + found.index + 1 } };
    }
  }
  return finding;
}

/** Applies the fix of a finding, whose position is that of its word; null if it has none. */
export function applyFix({ fix, word, at }: Finding, text: string): string | null {
  if (fix === null) return null;
  if (fix.kind === "text") return fix.of(text);
  const lines = text.split("\n");
  const line = lines[at.line - 1] ?? "";
  if (word === null || !line.startsWith(word, at.column - 1)) return null;
  const behind = line.slice(at.column - 1 + word.length);
  lines[at.line - 1] = line.slice(0, at.column - 1) + fix.by + behind;
  return lines.join("\n");
}

export function addNames(
  found: Map<StateName, Set<string>>,
  state: StateName | null,
  names: Iterable<string>,
): void {
  if (state !== null) found.set(state, new Set([...(found.get(state) ?? []), ...names]));
}
