import type { AgentId } from "../core/machine/agent.ts";
import { printable } from "./printable.ts";

/** How much is shown. A line `from` a detail is shown at it and at all that are higher; `never` is a line left out. */
export type Detail = "quiet" | "normal" | "verbose";

/** What a line is, which decides its colour; `header` opens a step. */
export type Tone = "header" | "plain" | "dim" | "accent" | "good" | "warning" | "error";

/** One line for people, in plain text that is safe to print. */
export interface Line {
  /** Whose line it is; null: the run's. */
  readonly agent: AgentId | null;
  readonly tone: Tone;
  readonly from: Detail | "never";
  /** It may be cut to the width of the terminal; all else is shown whole. */
  readonly cut: boolean;
  readonly text: string;
  /** Lines of the same text that are shown only with `--verbose`. */
  readonly more: number;
  /** Lines of the same text that are shown nowhere here. */
  readonly hidden: number;
}

interface LineOptions {
  /** Warnings and errors are shown always, other lines from `normal` on, where nothing is said. */
  readonly from?: Line["from"];
  readonly cut?: boolean;
  readonly more?: number;
  readonly hidden?: number;
}

/** The text as one line, whatever it holds. */
export function line(
  agent: AgentId | null,
  tone: Tone,
  text: string,
  options: LineOptions = {},
): Line {
  const from = options.from ?? (tone === "warning" || tone === "error" ? "quiet" : "normal");
  const { cut = false, more = 0, hidden = 0 } = options;
  return { agent, tone, from, cut, text: printable(text), more, hidden };
}

/** The text as it is laid out, line by line, blank lines left out; past {@link MAX_LINES} it says how many more. */
export function block(
  agent: AgentId | null,
  tone: Tone,
  text: string,
  options: LineOptions = {},
): readonly Line[] {
  const lines = text.split(/\r?\n/).filter((part) => part.trim() !== "");
  const shown = lines.slice(0, MAX_LINES).map((part, index) =>
    // What follows the first line belongs to it, and is set in.
    line(agent, tone, index === 0 ? part : `  ${part}`, options),
  );
  const more = lines.length - shown.length;
  return more === 0
    ? shown
    : [...shown, line(agent, tone, `  … ${String(more)} more lines`, options)];
}

/** The text as it is laid out with `--verbose`, and its first line with how many follow without. */
export function folded(agent: AgentId, text: string): readonly Line[] {
  const [first, ...more] = text.split(/\r?\n/).filter((part) => part.trim() !== "");
  if (first === undefined) return [];
  return [
    line(agent, "plain", first.trimEnd(), { cut: true, more: more.length }),
    ...more.map((part) => line(agent, "plain", `  ${part}`, { from: "verbose" })),
  ];
}

const MAX_LINES = 24;

const RANK = { quiet: 0, normal: 1, verbose: 2, never: 3 } as const;

/** Whether a line is shown at this detail. */
export function isShown(shown: Line, detail: Detail): boolean {
  return RANK[shown.from] <= RANK[detail];
}
