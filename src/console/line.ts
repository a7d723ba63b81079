import { printable } from "../log/printable.ts";
import type { AgentId } from "../machine/model/agent.ts";

/** Verbosity. A line is shown at its level and at all higher ones, or `never`. */
export type Detail = "quiet" | "normal" | "verbose";

/** The kind of a line, which decides its color. `header` starts a step. */
export type Tone = "header" | "plain" | "dim" | "accent" | "good" | "warning" | "error";

/** One line for people, in plain text without control characters. */
export interface Line {
  /** Null: a line of the run. */
  readonly agent: AgentId | null;
  readonly tone: Tone;
  readonly from: Detail | "never";
  /** May be cut to the width of the terminal. */
  readonly cut: boolean;
  readonly text: string;
  /** Further lines of the text that only `--verbose` shows. */
  readonly more: number;
  /** Further lines of the text that are never shown. */
  readonly hidden: number;
}

interface LineOptions {
  /** Default: `quiet` for warnings and errors, `normal` for other lines. */
  readonly from?: Line["from"];
  readonly cut?: boolean;
  readonly more?: number;
  readonly hidden?: number;
}

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

/** The lines of a text without blank lines, at most {@link MAX_LINES} and the number of further lines. */
export function block(
  agent: AgentId | null,
  tone: Tone,
  text: string,
  options: LineOptions = {},
): readonly Line[] {
  const lines = text.split(/\r?\n/).filter((part) => part.trim() !== "");
  const shown = lines
    .slice(0, MAX_LINES)
    .map((part, index) => line(agent, tone, index === 0 ? part : `  ${part}`, options));
  const more = lines.length - shown.length;
  return more === 0
    ? shown
    : [...shown, line(agent, tone, `  … ${String(more)} more lines`, options)];
}

/** All lines of a text with `--verbose`, else the first line and the number of further lines. */
export function collapsed(agent: AgentId, text: string): readonly Line[] {
  const [first, ...more] = text.split(/\r?\n/).filter((part) => part.trim() !== "");
  if (first === undefined) return [];
  return [
    line(agent, "plain", first.trimEnd(), { cut: true, more: more.length }),
    ...more.map((part) => line(agent, "plain", `  ${part}`, { from: "verbose" })),
  ];
}

const MAX_LINES = 24;

const RANK = { quiet: 0, normal: 1, verbose: 2, never: 3 } as const;

export function isShown(shown: Line, detail: Detail): boolean {
  return RANK[shown.from] <= RANK[detail];
}
