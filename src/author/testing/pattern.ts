/** What a text has to hold: a part of it, or what a regular expression between slashes finds. */
export interface Pattern {
  readonly written: string;
  readonly matches: (text: string) => boolean;
}

/** Null for a regular expression that is none. */
export function parsePattern(written: string): Pattern | null {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(written) ?? [];
  if (source === undefined) return { written, matches: (text) => text.includes(written) };
  try {
    const expression = new RegExp(source, flags);
    return { written, matches: (text) => expression.test(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
