// Writes the JSON Schemas: that of state files into docs/, those for editors into schemas/. Tests fail when one is
// stale (tests/storage/codec/schema.test.ts, tests/config/schemas.test.ts).
import { mkdirSync, writeFileSync } from "node:fs";
import { publishedSchemas } from "./generators/schemas/published.ts";
import { printJsonSchema } from "./generators/state-schema.ts";

writeFileSync("docs/state.schema.json", printJsonSchema());
mkdirSync("schemas", { recursive: true });
for (const [name, text] of publishedSchemas()) writeFileSync(`schemas/${name}`, text);
