import type { Scope } from "../../../src/engine/ports/scope.ts";

/** Of a scope without schemas. */
export const NO_SCHEMAS: Pick<Scope, "schemas" | "schema"> = {
  schemas: () => Promise.resolve([]),
  schema: (name) => Promise.reject(new Error(`no schema ${name}`)),
};
