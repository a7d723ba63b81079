/**
 * Checks the syntax of scripts without running them. Never rejects: without an interpreter, no
 * errors are found.
 */
export interface SyntaxCheck {
  /** The first error of each text; null for none. */
  check(texts: readonly string[]): Promise<readonly (SyntaxFault | null)[]>;
}

export interface SyntaxFault {
  readonly line: number;
  /** The message of the interpreter. */
  readonly message: string;
}
