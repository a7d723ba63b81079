import { styleText } from "node:util";

/** How parts of a line are set apart. Each takes plain text and returns it, perhaps in colour. */
export interface Style {
  strong(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  error(text: string): string;
}

/** Everything as it is: for files, pipes and dumb terminals. */
export const plainStyle: Style = {
  strong: (text) => text,
  dim: (text) => text,
  accent: (text) => text,
  good: (text) => text,
  warning: (text) => text,
  error: (text) => text,
};

/** The sixteen colours that every terminal has, so that the user's own scheme decides what they look like. */
export const colorStyle: Style = {
  strong: inFormat("bold"),
  dim: inFormat("dim"),
  accent: inFormat("cyan"),
  good: inFormat("green"),
  warning: inFormat("yellow"),
  error: inFormat("red"),
};

/** Whether there is colour at all has been decided, so Node is not to look at its own streams. */
function inFormat(format: Parameters<typeof styleText>[0]): (text: string) => string {
  return (text) => (text === "" ? "" : styleText(format, text, { validateStream: false }));
}
