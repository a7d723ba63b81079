import { en } from "zod/locales";
import * as z from "zod/mini";
import type { OpenText, StoreText } from "./stored-text.ts";

/**
 * How a value of the core stands in the state file: what the file may say, and
 * the way there and back. One definition gives both types, what is refused, and
 * the published schema. Not zod's own codecs: these go through every value
 * twice, and a run is saved at each step.
 */
export interface Shape<T, Json> {
  /** Made when it is first asked for: who only saves needs none. */
  readonly schema: () => z.ZodMiniType<Json>;
  readonly encode: (value: T, store: StoreText) => Json;
  /** Of what the schema has accepted. */
  readonly decode: (json: Json, open: OpenText) => T;
}

/** What the core has of a shape, and what the file has. */
export type CoreOf<S extends AnyShape> = ReturnType<S["decode"]>;
export type JsonOf<S extends AnyShape> = ReturnType<S["encode"]>;

/** How values are parsed: the small build of zod has no words of its own for what is wrong with them. */
export const inEnglish = once(() => ({ error: en().localeError }));

/** What stands in the file as it is. */
export function same<Json>(schema: () => z.ZodMiniType<Json>): Shape<Json, Json> {
  return { schema: once(schema), encode: (value) => value, decode: (json) => json };
}

/** A shape by way of another value of the core, which has the fields of the file. */
export function via<T, Row, Json>(
  row: Shape<Row, Json>,
  toRow: (value: T) => Row,
  fromRow: (row: Row) => T,
): Shape<T, Json> {
  return {
    schema: row.schema,
    encode: (value, store) => row.encode(toRow(value), store),
    decode: (json, open) => fromRow(row.decode(json, open)),
  };
}

/** That, or null. */
export function orNull<T, Json>(of: Shape<T, Json>): Shape<T | null, Json | null> {
  return {
    schema: once(() => z.nullable(of.schema())),
    encode: (value, store) => (value === null ? null : of.encode(value, store)),
    decode: (json, open) => (json === null ? null : of.decode(json, open)),
  };
}

/** Any number of them. */
export function list<T, Json>(of: Shape<T, Json>): Shape<readonly T[], Json[]> {
  return {
    schema: once(() => z.array(of.schema())),
    encode: (values, store) => values.map((value) => of.encode(value, store)),
    decode: (json, open) => json.map((each) => of.decode(each, open)),
  };
}

/** A field of a record, by its name in the file. */
export function as<const File extends string, T, Json>(
  file: File,
  shape: Shape<T, Json>,
): Field<File, Shape<T, Json>, "always"> {
  return { file, shape, written: "always" };
}

/** A field that is left out of the file where it is as usual. */
export function unless<const File extends string, T, Json, const Usual>(
  file: File,
  usual: Usual,
  shape: Shape<T, Json>,
  isUsual: (value: T | Usual) => boolean = (value) => value === usual,
): Field<File, Shape<T, Json>, "sometimes", Usual> {
  return { file, shape, written: "sometimes", isUsual, usual: () => usual };
}

/** A field that is left out where it is the same as the field of that name in the core, which comes before it. */
export function unlessAs<const File extends string, T, Json>(
  file: File,
  name: string,
  shape: Shape<T, Json>,
  isSame: (one: T, other: T) => boolean,
): Field<File, Shape<T, Json>, "sometimes"> {
  return {
    file,
    shape,
    written: "sometimes",
    isUsual: (value: T, whole: Readonly<Record<string, T>>) => isSame(value, whole[name] as T),
    usual: (before: Readonly<Record<string, never>>) => before[name] as never,
  };
}

/** A field that only repeats for readers what others say: the core has none of that name. */
export function repeats<const File extends string, T, Json>(
  file: File,
  shape: Shape<T, Json>,
  tell: (whole: never) => T,
): Field<File, Shape<T, Json>, "told"> {
  return { file, shape, written: "told", tell };
}

/** An object of these fields, by their names in the core and in the order of the file; any other is refused. */
export function record<const F extends Fields>(fields: F): Shape<RecordOf<F>, JsonOfFields<F>> {
  // Which value belongs to which field is said by the types of the fields.
  const loose = Object.entries(fields as unknown as Readonly<Record<string, LooseField>>);
  const schemaOf = ({ shape, written }: LooseField) =>
    written === "sometimes" ? z.exactOptional(shape.schema()) : shape.schema();
  // All alike, and gone through without an iterator: a run has thousands of them.
  const all = loose.map(([name, { file, shape, isUsual, usual, tell }]) => {
    const { encode, decode } = shape;
    return { name, file, encode, decode, isUsual, usual, tell };
  });
  const kept = all.filter(({ tell }) => tell === undefined);
  const shape: Shape<Loose, Loose> = {
    schema: once(() =>
      z.strictObject(Object.fromEntries(loose.map(([, field]) => [field.file, schemaOf(field)]))),
    ),
    encode: (value, store) => {
      const json: Record<string, unknown> = {};
      all.forEach((field) => {
        const part = field.tell === undefined ? value[field.name] : field.tell(value);
        if (field.isUsual?.(part, value) === true) return;
        json[field.file] = field.encode(part, store);
      });
      return json;
    },
    decode: (json, open) => {
      const value: Record<string, unknown> = {};
      kept.forEach((field) => {
        const part = json[field.file];
        value[field.name] =
          part === undefined && field.usual !== undefined
            ? field.usual(value)
            : field.decode(part, open);
      });
      return value;
    },
  };
  return shape as unknown as Shape<RecordOf<F>, JsonOfFields<F>>;
}

/**
 * One of several records, told apart by a field that the file and the core both
 * call `tag`; `other` has all that are not named.
 */
export function variants<
  const V extends Readonly<Record<string, AnyShape>>,
  O extends AnyShape = never,
>(tag: string, named: V, other?: O): Shape<CoreOf<V[keyof V] | O>, JsonOf<V[keyof V] | O>> {
  const shapes = named as unknown as Readonly<Record<string, Shape<Loose, Loose>>>;
  const others = other as unknown as Shape<Loose, Loose> | undefined;
  const find = (value: Loose): Shape<Loose, Loose> => {
    const shape = shapes[String(value[tag])] ?? others;
    if (shape === undefined) throw new Error(`There is no ${tag} ${String(value[tag])}`);
    return shape;
  };
  const shape: Shape<Loose, Loose> = {
    schema: once(() => {
      const all = [...(others === undefined ? [] : [others]), ...Object.values(shapes)];
      const options = all.map(({ schema }) => schema()) as unknown as Options;
      return z.discriminatedUnion(tag, options) as z.ZodMiniType<Loose>;
    }),
    encode: (value, store) => find(value).encode(value, store),
    decode: (json, open) => find(json).decode(json, open),
  };
  return shape as unknown as Shape<CoreOf<V[keyof V] | O>, JsonOf<V[keyof V] | O>>;
}

/** A field that contradicts what others say, in words; null where none does. */
interface Contradiction {
  readonly field: string;
  readonly problem: string;
}

/** Refuses besides what contradicts itself. */
export function consistent<T, Json>(
  shape: Shape<T, Json>,
  find: (json: Json) => Contradiction | null,
): Shape<T, Json> {
  const schema = once(() => {
    const check = z.check<Json>(({ value, issues }) => {
      const found = find(value);
      if (found === null) return;
      const { field, problem: message } = found;
      issues.push({ code: "custom", path: [field], message, input: value, params: CONTRADICTION });
    });
    return shape.schema().check(check);
  });
  return { ...shape, schema };
}

/** Marks the issues of {@link consistent}: their message says all. */
export const CONTRADICTION = { contradiction: true } as const;

/** What it makes, made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

interface AnyShape {
  readonly schema: () => z.ZodMiniType;
  readonly encode: (value: never, store: StoreText) => unknown;
  readonly decode: (json: never, open: OpenText) => unknown;
}

/** `always` and `sometimes` in the file; `told` in the file alone. */
type Written = "always" | "sometimes" | "told";

interface Field<File extends string, S extends AnyShape, W extends Written, Usual = never> {
  readonly file: File;
  readonly shape: S;
  readonly written: W;
  readonly isUsual?: (value: never, whole: never) => boolean;
  /** What it is where it was left out; `before`: the fields that come before it. */
  readonly usual?: (before: never) => Usual;
  readonly tell?: (whole: never) => unknown;
}

type Loose = Readonly<Record<string, unknown>>;
interface LooseField {
  readonly file: string;
  readonly shape: Shape<unknown, unknown>;
  readonly written: Written;
  readonly isUsual?: (value: unknown, whole: Loose) => boolean;
  readonly usual?: (before: Loose) => unknown;
  readonly tell?: (whole: Loose) => unknown;
}
type Fields = Readonly<Record<string, Field<string, AnyShape, Written, unknown>>>;
type Options = Parameters<typeof z.discriminatedUnion>[1];

type RecordOf<F extends Fields> = {
  readonly [K in keyof F as F[K]["written"] extends "told" ? never : K]:
    | CoreOf<F[K]["shape"]>
    | UsualOf<F[K]>;
};
type UsualOf<A> = A extends Field<string, AnyShape, Written, infer Usual> ? Usual : never;
type JsonOfFields<F extends Fields> = Flat<
  {
    readonly [K in keyof F as F[K]["written"] extends "sometimes" ? never : F[K]["file"]]: JsonOf<
      F[K]["shape"]
    >;
  } & {
    readonly [K in keyof F as F[K]["written"] extends "sometimes" ? F[K]["file"] : never]?: JsonOf<
      F[K]["shape"]
    >;
  }
>;
type Flat<T> = { [K in keyof T]: T[K] };
