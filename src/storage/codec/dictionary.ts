import * as z from "zod/mini";
import { inEnglish, once, type Shape } from "./shape.ts";

/**
 * An object with any keys. Unlike `z.record` it keeps the key `__proto__`, which an attribute may have. The registry
 * stores the schema of the values for the published JSON Schema.
 */
export function dictionary<T, Json>(
  of: Shape<T, Json>,
): Shape<Readonly<Record<string, T>>, Readonly<Record<string, Json>>> {
  const make = () => {
    const values = of.schema();
    const read = z.transform((input: unknown, context): Readonly<Record<string, Json>> => {
      if (typeof input !== "object" || input === null || Array.isArray(input)) {
        context.issues.push({ code: "custom", message: "must be an object", input });
        return z.NEVER;
      }
      return mapValues(input as Readonly<Record<string, never>>, (each, key) => {
        const parsed = values.safeParse(each, inEnglish());
        if (parsed.success) return parsed.data;
        for (const issue of parsed.error.issues) {
          context.issues.push({ ...issue, path: [key, ...issue.path], input: each });
        }
        return z.NEVER;
      });
    });
    const schema = z.pipe(z.unknown(), read);
    z.globalRegistry.add(schema, { values });
    return schema;
  };
  return {
    schema: once(make),
    encode: (values, store) => mapValues(values, (value) => of.encode(value, store)),
    decode: (json, open) => mapValues(json, (each) => of.decode(each, open)),
  };
}

/** Returns the same object if no value changes, which is the usual case. */
function mapValues<T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Readonly<Record<string, U>> {
  const keys = Object.keys(values);
  const after = keys.map((key) => change(values[key] as T, key));
  if (keys.every((key, index) => Object.is(after[index], values[key]))) {
    return values as unknown as Readonly<Record<string, U>>;
  }
  return Object.fromEntries(keys.map((key, index) => [key, after[index] as U]));
}
