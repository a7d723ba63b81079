import type { Position } from "../../language/basics/place.ts";
import type { JsonSchema } from "../../language/workflow/json-schema.ts";
import { compileSchema } from "./compile.ts";

/** Compiles schemas, each content of a file once. */
export class SchemaCache {
  readonly #compiled = new Map<
    string,
    { readonly text: string; readonly value: Promise<JsonSchema> }
  >();

  /** As {@link compileSchema}. `name`: of the schema. */
  get(name: string, text: string, file: string, begin?: Position): Promise<JsonSchema> {
    const known = this.#compiled.get(name);
    if (known?.text === text) return known.value;
    const value = compileSchema(text, file, begin);
    this.#compiled.set(name, { text, value });
    return value;
  }
}
