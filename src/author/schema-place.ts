import path from "node:path";

/** What the schemas that ship are of (docs/editors.md, "Schemas"). */
type SchemaKind = "front-matter" | "workflow" | "single-file" | "simulation" | "test" | "config";

/** The comment that names the schema of a YAML file to editors; `schemas` is the folder of those that ship. Empty where no relative path leads there. */
export function yamlSchemaLine(schemas: string, kind: SchemaKind, file: string): string {
  const place = schemaPlace(schemas, kind, file);
  return place === null ? "" : `${YAML_MARK}${place}\n`;
}

/** The same for TOML. */
export function tomlSchemaLine(schemas: string, file: string): string {
  const place = schemaPlace(schemas, "config", file);
  return place === null ? "" : `#:schema ${place}\n`;
}

/** A YAML text whose schema is named by the first of its lines, and by no other of its head. */
export function withYamlSchema(text: string, line: string): string {
  const head = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text)?.[0] ?? "";
  const kept = head.split(/(?<=\n)/).filter((one) => !one.startsWith(YAML_MARK));
  return `${line}${kept.join("")}${text.slice(head.length)}`;
}

/** The kind of a workflow's YAML file by its name; null for any other file. */
export function schemaKindOf(name: string): "workflow" | "simulation" | "test" | null {
  if (name === "workflow.yaml") return "workflow";
  if (name.endsWith(".sim.yaml")) return "simulation";
  return name.endsWith(".test.yaml") ? "test" : null;
}

const YAML_MARK = "# yaml-language-server: $schema=";

/**
 * The relative path of a schema whose package is installed in the project of the
 * file; null for any other: a path of this machine does not belong into a file that
 * others get.
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
