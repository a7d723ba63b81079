/** A stream of bytes without the values of secrets. It may hold back its end. */
export interface ByteRedaction {
  push(chunk: Buffer): void;
  /** Writes the rest. */
  end(): void;
}

/** Replaces the values of secrets in the output of steps (docs/environment.md, "Secrets"). */
export interface Redaction {
  /** There is nothing to redact now. Secrets may be added later. */
  readonly isEmpty: boolean;
  text(text: string): string;
  /** A line of JSON: stays valid, with its structure and ids. */
  json(line: string): string;
  stream(write: (chunk: Buffer) => void): ByteRedaction;
  /** The same with replacements of equal length, for files in which positions matter. */
  mask(write: (chunk: Buffer) => void): ByteRedaction;
}
