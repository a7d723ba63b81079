/** One reader of foreign bytes, and what it promises for any of them. */
export interface Target {
  /** Of its folder in `corpus/`. */
  readonly name: string;
  /** What counts for this reader: pieces that a mutation puts in. */
  readonly words: readonly string[];
  /** Inputs besides those of the corpus. */
  seeds(): readonly Buffer[];
  /** Reads an input. What it throws, or a sentence that it gives, is a broken promise. */
  broken(input: Buffer): string | null;
}

/** The words for two readings that should be one; null where they are. */
export function difference(what: string, first: unknown, second: unknown): string | null {
  const [a, b] = [JSON.stringify(first), JSON.stringify(second)];
  if (a === b) return null;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const near = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
  return `${what}: ${near(a)} or ${near(b)}`;
}
