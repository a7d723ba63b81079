/**
 * Whether the interpreter of a script can parse it, asked without running any of
 * it. Never rejects: where nobody can be asked, nothing is wrong.
 */
export interface SyntaxCheck {
  /** Of each text what it says of the first fault, and in which line; null where there is none. */
  check(texts: readonly string[]): Promise<readonly (SyntaxFault | null)[]>;
}

export interface SyntaxFault {
  readonly line: number;
  /** In the interpreter's words. */
  readonly message: string;
}
