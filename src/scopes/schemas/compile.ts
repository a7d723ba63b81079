import type { Ajv, AnySchema, ErrorObject, ValidateFunction } from "ajv";
import { parseBoundedJson } from "../../language/basics/json-object.ts";
import { type Position, TOP } from "../../language/basics/place.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import { InvalidSchemaError } from "../../language/workflow/errors.ts";
import type { JsonSchema } from "../../language/workflow/named-schemas.ts";
import { quoted } from "../../language/workflow/quote.ts";
import { bounded, TimeLimitError } from "./bounded.ts";
import { describeFault } from "./describe-fault.ts";
import { placeOfPointer, placeOfSyntaxError, placeOfWord } from "./json-place.ts";
import { createValidator, type Draft } from "./validators.ts";

/** Of a schema and of a validated text, in bytes. */
const MAX_JSON_BYTES = 2 ** 20;

/** Texts up to this length get all their faults, longer ones the first. */
const MAX_LISTED_CHARS = 2 ** 16;
const MAX_FAULTS = 5;
/** Faults that are compared: many can be alike. */
const MAX_DESCRIBED = 100;
const CHECK_MS = 1_000;
const COMPILE_MS = 5_000;

/**
 * Compiles a JSON Schema of draft 2020-12 or 7. `begin`: the position of the text in the file. Throws
 * an {@link InvalidSchemaError}. References lead only into the same schema: nothing is fetched.
 */
export function compileSchema(text: string, file: string, begin: Position = TOP): JsonSchema {
  const fail = ({ line, column }: Position, problem: string, hint: string): InvalidSchemaError => {
    const at = { line: line + begin.line - 1, column: column + begin.column - 1 };
    return new InvalidSchemaError(file, at, problem, hint);
  };
  try {
    const document = parse(text.replace(/^\uFEFF/, " "), fail);
    const create = validators(document, text, fail);
    const compiled = (allErrors: boolean) =>
      bounded(COMPILE_MS, () => create(allErrors).compile(document));
    const quick = compiled(false);
    if ("$async" in quick) throw fail(placeOfWord(text, '"$async"'), NO_ASYNC, "Remove the key.");
    let thorough: ValidateFunction | null = null;
    const all = () => {
      thorough ??= compiled(true);
      return thorough;
    };
    return { document, check: (value) => faultsOf(value, quick, all) };
  } catch (error) {
    if (error instanceof InvalidSchemaError) throw error;
    throw compileError(error, text, fail);
  }
}

type Fail = (at: Position, problem: string, hint: string) => InvalidSchemaError;

const NO_ASYNC = "Schemas with $async are not supported.";

function parse(text: string, fail: Fail): AnySchema {
  if (Buffer.byteLength(text) > MAX_JSON_BYTES) {
    throw fail(TOP, "The schema is larger than 1 MiB.", "Simplify the schema.");
  }
  let document: unknown;
  try {
    document = parseBoundedJson(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw fail(placeOfSyntaxError(text, message), `Invalid JSON: ${excerpt(message, 120)}.`, FIX);
  }
  if (typeof document === "boolean") return document;
  if (typeof document === "object" && document !== null && !Array.isArray(document)) {
    return document;
  }
  throw fail(TOP, "A schema must be a JSON object.", FIX);
}

const FIX = "Correct the schema file (docs/authoring.md, Checked results).";

/** Creates validators, after checking the schema itself. */
function validators(document: AnySchema, text: string, fail: Fail) {
  const draft = draftOf(document, text, fail);
  const checker = checkers.get(draft) ?? createValidator(draft, {});
  checkers.set(draft, checker);
  const isValid = bounded(COMPILE_MS, () => checker.validateSchema(document));
  const deepest = isValid === true ? null : mostSpecific(checker.errors ?? []);
  if (deepest !== null) {
    const at = placeOfPointer(text, deepest.instancePath);
    throw fail(at, `Invalid schema: ${describeFault(deepest)}.`, FIX);
  }
  // A new one for each schema: two schemas can have the same $id.
  return (allErrors: boolean) => createValidator(draft, { allErrors, validateSchema: false });
}

/** By draft: the schema of schemas takes 0.1 s to compile. */
const checkers = new Map<Draft, Ajv>();

function draftOf(document: AnySchema, text: string, fail: Fail): Draft {
  const dialect: unknown = typeof document === "object" ? document["$schema"] : undefined;
  if (dialect === undefined) return 2020;
  if (typeof dialect === "string" && DRAFT_7.test(dialect)) return 7;
  if (typeof dialect === "string" && DRAFT_2020.test(dialect)) return 2020;
  const hint = "Use https://json-schema.org/draft/2020-12/schema, or remove the key.";
  throw fail(
    placeOfWord(text, '"$schema"'),
    `Unsupported $schema ${quoted(JSON.stringify(dialect))}.`,
    hint,
  );
}

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DRAFT_2020 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** The first fault of the deepest value. */
function mostSpecific(errors: readonly ErrorObject[]): ErrorObject | null {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split("/").length;
  const [first] = errors.toSorted((a, b) => depth(b) - depth(a));
  return first ?? null;
}

function compileError(error: unknown, text: string, fail: Fail): unknown {
  if (error instanceof TimeLimitError || error instanceof RangeError) {
    return fail(TOP, "The schema is too complex.", "Simplify the schema.");
  }
  if (!(error instanceof Error)) return error;
  if ("missingRef" in error) {
    const reference = String(error.missingRef);
    const problem = `The reference ${quoted(reference)} leads out of the schema, or to nothing.`;
    const hint = "Refer to a part of the same file, such as #/$defs/item. Nothing is fetched.";
    return fail(placeOfWord(text, reference), problem, hint);
  }
  const message = error.message.replace(/^strict mode: /, "");
  const [, word = ""] = /^unknown keyword: "(.*)"$/.exec(message) ?? [];
  const [, pattern = ""] = /^Invalid regular expression: \/(.*)\/u/.exec(message) ?? [];
  const at = placeOfWord(text, JSON.stringify(word || pattern));
  return fail(at, `Invalid schema: ${excerpt(message, 160)}.`, FIX);
}

/** `all`: the slower validator that finds all faults. */
function faultsOf(
  text: string,
  quick: ValidateFunction,
  all: () => ValidateFunction,
): readonly string[] {
  if (Buffer.byteLength(text) > MAX_JSON_BYTES) return ["it is larger than 1 MiB"];
  try {
    const found = bounded(CHECK_MS, () => errorsOf(parseBoundedJson(text), quick));
    if (found.length === 0) return [];
    const validate = text.length <= MAX_LISTED_CHARS ? all() : quick;
    const errors = bounded(CHECK_MS, () => errorsOf(parseBoundedJson(text), validate));
    const faults = [...new Set(errors.slice(0, MAX_DESCRIBED).map(describeFault))];
    const more = faults.length > MAX_FAULTS ? ["and more"] : [];
    return [...faults.slice(0, MAX_FAULTS), ...more];
  } catch (error) {
    if (error instanceof SyntaxError) return [`it is not JSON (${excerpt(error.message, 120)})`];
    if (error instanceof TimeLimitError) return ["the check takes longer than 1 s"];
    if (error instanceof RangeError) return ["it is nested too deeply"];
    throw error;
  }
}

function errorsOf(value: unknown, validate: ValidateFunction): readonly ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}
