import { styleText } from "node:util";
import type { Tone } from "./line.ts";

/** Formats of parts of a line. Each function takes plain text. */
export interface Style {
  strong(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  error(text: string): string;
}

/** For files, pipes and dumb terminals. */
export const plainStyle: Style = {
  strong: (text) => text,
  dim: (text) => text,
  accent: (text) => text,
  good: (text) => text,
  warning: (text) => text,
  error: (text) => text,
};

/** The 16 standard colors, so that the color scheme of the terminal applies. */
export const colorStyle: Style = {
  strong: inFormat("bold"),
  dim: inFormat("dim"),
  accent: inFormat("cyan"),
  good: inFormat("green"),
  warning: inFormat("yellow"),
  error: inFormat("red"),
};

/** The caller has decided whether to use color, so Node must not check its streams. */
function inFormat(format: Parameters<typeof styleText>[0]): (text: string) => string {
  return (text) => (text === "" ? "" : styleText(format, text, { validateStream: false }));
}

export function paint(tone: Tone, text: string, style: Style): string {
  if (tone === "plain") return text;
  return style[tone === "header" ? "strong" : tone](text);
}
