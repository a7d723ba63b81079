import type { Position } from "../basics/place.ts";
import type { StateFile } from "./files/state-file.ts";

/** A schema file that a state names, and the position of its rule or directive. */
export interface NamedSchema {
  readonly name: string;
  readonly at: Position;
}

/** The schemas that the rules of a prompt, or the directive of a script, name. */
export function namedSchemas(file: StateFile): readonly NamedSchema[] {
  if (file.kind === "script") return file.schema === undefined ? [] : [file.schema];
  return (file.rules ?? []).flatMap(({ schema: name, at }) =>
    name === undefined ? [] : { name, at },
  );
}

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
