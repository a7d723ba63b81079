import path from "node:path";

/** Names of the shipped schemas (docs/editors.md, "Schemas"). */
type SchemaKind = "front-matter" | "workflow" | "single-file" | "simulation" | "test" | "config";

/**
 * The comment that names the schema of a YAML file for editors. `schemas`: folder of the shipped
 * schemas. Empty if there is no relative path to it.
 */
export function yamlSchemaLine(schemas: string, kind: SchemaKind, file: string): string {
  const place = schemaPlace(schemas, kind, file);
  return place === null ? "" : `${YAML_MARK}${place}\n`;
}

export function tomlSchemaLine(schemas: string, file: string): string {
  const place = schemaPlace(schemas, "config", file);
  return place === null ? "" : `#:schema ${place}\n`;
}

export function withYamlSchema(text: string, line: string): string {
  const head = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text)?.[0] ?? "";
  const kept = head.split(/(?<=\n)/).filter((one) => !one.startsWith(YAML_MARK));
  return `${line}${kept.join("")}${text.slice(head.length)}`;
}

/** Null for a file without a schema. */
export function schemaKindOf(name: string): "workflow" | "simulation" | "test" | null {
  if (name === "workflow.yaml") return "workflow";
  if (name.endsWith(".sim.yaml")) return "simulation";
  return name.endsWith(".test.yaml") ? "test" : null;
}

const YAML_MARK = "# yaml-language-server: $schema=";

/**
 * The relative path of a schema; null if the package is not installed in the project of the file: a
 * file that others receive must not contain a path of this machine.
 */
function schemaPlace(schemas: string, kind: SchemaKind, file: string): string | null {
  const schema = path.join(schemas, `${kind}.schema.json`);
  const project = schema.split(/[/\\]node_modules[/\\]/)[0] ?? schema;
  const below = path.relative(project, file);
  if (project === schema || below.startsWith("..") || path.isAbsolute(below)) {
    return null;
  }
  const relative = path.relative(path.dirname(file), schema).split(path.sep);
  return encodeURI(relative.join("/"));
}
