/**
 * Whether the interpreter of a script can parse it, asked without running any of
 * it. Never rejects: where nobody can be asked, nothing is wrong.
 */
export interface SyntaxCheck {
  /** What it says of the first fault in this text, and in which line; null where there is none. */
  check(text: string): Promise<SyntaxFault | null>;
}

export interface SyntaxFault {
  readonly line: number;
  /** In the interpreter's words. */
  readonly message: string;
}
