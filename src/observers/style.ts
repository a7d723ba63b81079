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
  strong: between(1, 22),
  dim: between(2, 22),
  accent: between(36, 39),
  good: between(32, 39),
  warning: between(33, 39),
  error: between(31, 39),
};

function between(on: number, off: number): (text: string) => string {
  return (text) => (text === "" ? "" : `\u001b[${String(on)}m${text}\u001b[${String(off)}m`);
}
