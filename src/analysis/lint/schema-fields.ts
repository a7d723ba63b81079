import { listed, quoted } from "../../language/workflow/quote.ts";

type Node = Readonly<Record<string, unknown>>;

/**
 * Why a value that matches a schema may not have the field of a path, as the end of a sentence; null
 * if it has the field, or if that is not decidable: for keywords that combine schemas, and for objects
 * without `properties`. Arrays may be empty, so an index is never a problem.
 */
export function undeclaredField(document: unknown, path: readonly string[]): string | null {
  let node: unknown = document;
  for (const [depth, key] of path.entries()) {
    const schema = resolve(document, node);
    if (schema === null || COMBINED.some((word) => word in schema)) return null;
    const place = depth === 0 ? "" : ` in ${path.slice(0, depth).join(".")}`;
    const types = typesOf(schema);
    if (types.length > 0 && !types.includes("object") && !types.includes("array")) {
      return `declares ${depth === 0 ? "the payload" : path.slice(0, depth).join(".")} as ${types.join(" or ")}, which has no fields`;
    }
    if (/^\d+$/.test(key) && types.includes("array")) {
      node = itemOf(schema, Number(key));
      continue;
    }
    const { properties, patternProperties } = schema;
    if (!isNode(properties) || patternProperties !== undefined) return null;
    if (!Object.hasOwn(properties, key)) {
      return `does not declare ${quoted(key)}${place}. It declares: ${listed(Object.keys(properties))}`;
    }
    const { required } = schema;
    if (!Array.isArray(required) || !required.includes(key)) {
      return `does not require ${quoted(key)}${place}, so it may be missing`;
    }
    node = properties[key];
  }
  return null;
}

/** Keywords that add to the declared properties, or replace them. */
const COMBINED = ["allOf", "anyOf", "oneOf", "if", "not", "$dynamicRef", "dependentSchemas"];

const MAX_REFERENCES = 20;

/** Follows references within the document; null for anything else. */
function resolve(document: unknown, from: unknown): Node | null {
  let node = from;
  for (let count = 0; count < MAX_REFERENCES; count += 1) {
    if (!isNode(node)) return null;
    const { $ref } = node;
    if ($ref === undefined) return node;
    // Other keywords next to a reference add to it.
    if (typeof $ref !== "string" || !$ref.startsWith("#/") || "properties" in node) return null;
    node = $ref
      .slice(2)
      .split("/")
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (at, key) => (isNode(at) && Object.hasOwn(at, key) ? at[key] : null),
        document,
      );
  }
  return null;
}

function typesOf({ type }: Node): readonly string[] {
  return (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
}

function itemOf({ prefixItems, items }: Node, index: number): unknown {
  const first: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined;
  return first ?? (Array.isArray(items) ? items[index] : items);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
