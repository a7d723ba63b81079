import type * as z from "zod/mini";
import type { LocatedYaml, Path } from "./yaml.ts";

/** What stands at a path, as a schema reads it; throws the fault of the first thing in it that the schema refuses. */
export function readAs<Schema extends z.ZodMiniType>(
  yaml: LocatedYaml,
  path: Path,
  schema: Schema,
  value: unknown = yaml.value(path),
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = (issue?.path ?? []).map((part) => (typeof part === "number" ? part : String(part)));
  throw yaml.fault([...path, ...at], `${issue?.message ?? "this is not valid"}.`);
}
