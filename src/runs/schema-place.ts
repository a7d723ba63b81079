import path from "node:path";
import { pathToFileURL } from "node:url";

/** What the schemas that ship are of (docs/editors.md, "Schemas"). */
type SchemaKind = "front-matter" | "workflow" | "single-file" | "simulation" | "test" | "config";

/** The comment that names the schema of a YAML file to editors; `schemas` is the folder of those that ship. */
export function yamlSchemaLine(schemas: string, kind: SchemaKind, file: string): string {
  return `${YAML_MARK}${schemaPlace(schemas, kind, file)}\n`;
}

/** The same for TOML. */
export function tomlSchemaLine(schemas: string, file: string): string {
  return `#:schema ${schemaPlace(schemas, "config", file)}\n`;
}

/** A YAML text whose schema is named by the first of its lines, and by no other of its head. */
export function withYamlSchema(text: string, line: string): string {
  const head = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text)?.[0] ?? "";
  const kept = head.split(/(?<=\n)/).filter((one) => !one.startsWith(YAML_MARK));
  return `${line}${kept.join("")}${text.slice(head.length)}`;
}

/** What a YAML file beside or instead of states is, by its name; null for any other file. */
export function schemaKindOf(name: string): "workflow" | "simulation" | "test" | null {
  if (name === "workflow.yaml") return "workflow";
  if (name.endsWith(".sim.yaml")) return "simulation";
  return name.endsWith(".test.yaml") ? "test" : null;
}

const YAML_MARK = "# yaml-language-server: $schema=";

/**
 * From a package of the project that the file is in, by a path that holds for
 * everybody who has the project; from any other place by where it lies here.
 */
function schemaPlace(schemas: string, kind: SchemaKind, file: string): string {
  const schema = path.join(schemas, `${kind}.schema.json`);
  const project = schema.split(/[/\\]node_modules[/\\]/)[0] ?? schema;
  const below = path.relative(project, file);
  if (project === schema || below.startsWith("..") || path.isAbsolute(below)) {
    return pathToFileURL(schema).href;
  }
  const relative = path.relative(path.dirname(file), schema).split(path.sep);
  return encodeURI(relative.join("/"));
}
