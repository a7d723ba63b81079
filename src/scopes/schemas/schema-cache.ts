import type { Position } from "../../language/basics/place.ts";
import type { JsonSchema } from "../../language/workflow/named-schemas.ts";

interface Compiled {
  readonly text: string;
  readonly value: Promise<JsonSchema>;
}

/** Compiles schemas, each content of a file once. */
export class SchemaCache {
  readonly #compiled = new Map<string, Compiled>();

  /**
   * As `compileSchema`. `name`: of the schema. Loads the compiler here, so only for workflows with
   * schemas.
   */
  get(name: string, text: string, file: string, begin?: Position): Promise<JsonSchema> {
    const known = this.#compiled.get(name);
    if (known?.text === text) return known.value;
    const value = import("./compile.ts").then(({ compileSchema }) =>
      compileSchema(text, file, begin),
    );
    this.#compiled.set(name, { text, value });
    return value;
  }
}
