// Writes the JSON Schema of state files into docs/; tests/stores/schema.test.ts fails when it is stale.
import { writeFileSync } from "node:fs";
import { printJsonSchema } from "../tests/stores/json-schema.ts";

writeFileSync("docs/state.schema.json", printJsonSchema());
