import * as z from "zod/mini";
import { parseDuration } from "../language/basics/duration.ts";
import { toMicroUsd } from "../language/basics/money.ts";
import { parsePermission, printPermission } from "../language/permissions/permission.ts";
import { isAgentName } from "../language/workflow/policy/agent-name.ts";
import { readSandbox } from "../language/workflow/policy/sandbox.ts";

/** The word for null. */
function nullFor(word: string) {
  return z.pipe(
    z.literal(word),
    z.transform(() => null),
  );
}

const FOREVER_S = 2 ** 31 - 1;

export const dollars = () =>
  z.pipe(
    z.pipe(z.number().check(z.maximum(1e9)), z.transform(toMicroUsd)),
    z.number().check(z.positive()),
  );

/** A duration as text, or a number of seconds; result in ms. */
const duration = () =>
  z.union([
    z.pipe(
      z.number().check(z.minimum(0), z.maximum(FOREVER_S)),
      z.transform((seconds) => Math.round(seconds * 1000)),
    ),
    z.pipe(
      z.string(),
      z.transform((text, context) => {
        const ms = parseDuration(text);
        if (ms !== null) return ms;
        context.issues.push({ code: "custom", message: "not a duration", input: text });
        return z.NEVER;
      }),
    ),
  ]);

export const unset = () => nullFor("default");
export const none = () => nullFor("none");
export const words = () => z.string().check(z.regex(/^\S(?:.*\S)?$/));

/** A name or a list of names. */
export const agents = () => {
  const name = () => z.string().check(z.refine(isAgentName));
  const one = z.pipe(
    name(),
    z.transform((text) => [text]),
  );
  const isUnique = (names: readonly string[]) => new Set(names).size === names.length;
  const several = z.array(name()).check(z.minLength(1), z.refine(isUnique));
  return z.union([unset(), one, several]);
};

export const sandbox = () => {
  const network = z.union([z.boolean(), z.enum(["on", "off"])]);
  const limits = { write: z.optional(z.array(words())), network: z.optional(network) };
  return z.pipe(
    z.union([z.boolean(), z.string(), z.strictObject(limits)]),
    z.transform((value, context) => {
      const read = readSandbox(value);
      if (read !== undefined) return read;
      context.issues.push({ code: "custom", message: "not a sandbox", input: value });
      return z.NEVER;
    }),
  );
};

/*
 * Common kinds of settings.
 */
export const ON_OFF = { schema: () => z.boolean(), expects: "true or false" } as const;
export const SPAN = {
  schema: duration,
  expects: 'a duration such as "90s", "20m" or "2h", or a number of seconds',
  unit: "milliseconds",
} as const;
export const SPAN_OR_NEVER = { ...SPAN, expects: `${SPAN.expects}; 0 means never` } as const;
export const TOOLS = {
  schema: () => z.union([unset(), z.array(words())]),
  expects: 'a list of tools such as ["Read", "Bash(git *)"], or "default"',
  list: true,
  default: null,
  nullWord: "default",
} as const;

export const PERMISSIONS = {
  schema: () => z.union([unset(), z.array(permission())]),
  expects: `a list of items such as ["command(npm test *)", "write(docs/**)"], or "default"`,
  list: true,
  default: null,
  nullWord: "default",
  problem: (value: unknown) => permissionProblem(value),
} as const;

/** An item of `allow` or `deny`, as it is printed. */
const permission = () =>
  z.pipe(
    z.string(),
    z.transform((text, context) => {
      const parsed = parsePermission(text);
      if (parsed.ok) return printPermission(parsed.permission);
      context.issues.push({ code: "custom", message: parsed.problem, input: text });
      return z.NEVER;
    }),
  );

function permissionProblem(value: unknown): string | null {
  for (const item of Array.isArray(value) ? value : []) {
    if (typeof item !== "string") continue;
    const parsed = parsePermission(item);
    if (!parsed.ok) return `the item ${JSON.stringify(item)} ${parsed.problem}`;
  }
  return null;
}

export function atMost(most: number) {
  const schema = () => z.int().check(z.minimum(1), z.maximum(most));
  return { schema, expects: `a whole number from 1 to ${String(most)}`, numeric: true } as const;
}
