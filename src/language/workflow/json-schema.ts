/** A valid JSON Schema of a workflow, compiled (docs/authoring.md, "Checked results"). */
export interface JsonSchema {
  readonly document: unknown;
  /**
   * Why a text is not JSON that matches, as the ends of a sentence: `/items/0 must be string`. At
   * most five; empty if it matches. Takes bounded time.
   */
  readonly check: (text: string) => readonly string[];
}

export type ResolvedSchema =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly message: string; readonly hint: string | null };
