import type { Position } from "../place.ts";
import type { RuleId } from "../workflow/state-file.ts";

/** `error`: it cannot run. `warning`: it will probably not do what was meant. `note`: good to know. */
export const SEVERITIES = ["error", "warning", "note"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a rule has found at a place. */
export interface Finding {
  /** Of its rule, for ever the same: `RAY201`. */
  readonly rule: RuleId;
  readonly severity: Severity;
  /** The file to mend. */
  readonly source: string;
  readonly at: Position;
  /** One sentence. */
  readonly message: string;
  /** What to do. */
  readonly hint: string;
  /** The word in question, which stands at the place or behind it; null: all of the line. */
  readonly word: string | null;
  /** Whether the line may be shown: a secret may not. */
  readonly hidden: boolean;
  /** What mends it, where that is safe. */
  readonly mend: Mend | null;
}

/** A change of the file: of the word in question, or of all of its text. */
export type Mend =
  | { readonly kind: "word"; readonly by: string }
  | { readonly kind: "text"; readonly of: (text: string) => string };

/** A finding as its rule's check gives it; what is absent is the usual. */
export interface Found
  extends Pick<Finding, "source" | "at" | "message">,
    Partial<Pick<Finding, "severity" | "hint" | "word" | "hidden" | "mend">> {}

/** The finding with its place at the word in question, as the text of its file has it. */
export function pinned(finding: Finding, text: string): Finding {
  const { at, word } = finding;
  if (word === null) return finding;
  // A rule may go on for some lines behind the place where it begins.
  const lines = text.split("\n", at.line + 11).slice(at.line - 1);
  const wanted = new RegExp(`(?<![\\w.-])${word.replaceAll(/\W/g, "\\$&")}(?![\\w-])`, "u");
  for (const [index, line] of lines.entries()) {
    const from = index === 0 ? at.column - 1 : 0;
    const found = wanted.exec(line.slice(from));
    if (found !== null) {
      return { ...finding, at: { line: at.line + index, column: from + found.index + 1 } };
    }
  }
  return finding;
}

/** The text with a finding mended whose place is at its word; null where nothing can be done. */
export function mended({ mend, word, at }: Finding, text: string): string | null {
  if (mend === null) return null;
  if (mend.kind === "text") return mend.of(text);
  const lines = text.split("\n");
  const line = lines[at.line - 1] ?? "";
  if (word === null || !line.startsWith(word, at.column - 1)) return null;
  const behind = line.slice(at.column - 1 + word.length);
  lines[at.line - 1] = line.slice(0, at.column - 1) + mend.by + behind;
  return lines.join("\n");
}
