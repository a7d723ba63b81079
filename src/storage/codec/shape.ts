import { en } from "zod/locales";
import * as z from "zod/mini";
import type { OpenText, StoreText } from "./payload.ts";

/**
 * The codec of a value in the state file. One definition provides both types, the validation and the published schema.
 * Not zod's own codecs: they visit every value twice, and a run is saved at each step.
 */
export interface Shape<T, Json> {
  /** Created on first use: saving needs none. */
  readonly schema: () => z.ZodMiniType<Json>;
  readonly encode: (value: T, store: StoreText) => Json;
  /** The schema must have accepted `json`. */
  readonly decode: (json: Json, open: OpenText) => T;
}

/** The types of a shape in the core and in the file. */
export type CoreOf<S extends AnyShape> = ReturnType<S["decode"]>;
export type JsonOf<S extends AnyShape> = ReturnType<S["encode"]>;

/** English messages, which the small build of zod does not include. */
export const inEnglish = once(() => ({ error: en().localeError }));

/** A value that is the same in the core and in the file. */
export function same<Json>(schema: () => z.ZodMiniType<Json>): Shape<Json, Json> {
  return { schema: once(schema), encode: (value) => value, decode: (json) => json };
}

/** A shape that converts the value to another one first, which has the fields of the file. */
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

export function orNull<T, Json>(of: Shape<T, Json>): Shape<T | null, Json | null> {
  return {
    schema: once(() => z.nullable(of.schema())),
    encode: (value, store) => (value === null ? null : of.encode(value, store)),
    decode: (json, open) => (json === null ? null : of.decode(json, open)),
  };
}

export function list<T, Json>(of: Shape<T, Json>): Shape<readonly T[], Json[]> {
  return {
    schema: once(() => z.array(of.schema())),
    encode: (values, store) => values.map((value) => of.encode(value, store)),
    decode: (json, open) => json.map((each) => of.decode(each, open)),
  };
}

/** A field of a record that has another name in the file. */
export function as<const File extends string, T, Json>(
  file: File,
  shape: Shape<T, Json>,
): Field<File, Shape<T, Json>, "always"> {
  return { file, shape, written: "always" };
}

/** A field that is omitted from the file if it has its usual value. */
export function unless<const File extends string, T, Json, const Usual>(
  file: File,
  usual: Usual,
  shape: Shape<T, Json>,
  isUsual: (value: T | Usual) => boolean = (value) => value === usual,
): Field<File, Shape<T, Json>, "sometimes", Usual> {
  return { file, shape, written: "sometimes", isUsual, usual: () => usual };
}

/** A field that is omitted if it equals the earlier field `name` of the core. */
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

/** A derived field for readers of the file, which the core does not have. */
export function repeats<const File extends string, T, Json>(
  file: File,
  shape: Shape<T, Json>,
  derive: (whole: never) => T,
): Field<File, Shape<T, Json>, "derived"> {
  return { file, shape, written: "derived", derive };
}

/**
 * An object with these fields, by their names in the core, in the order of the file. A shape without a name has the
 * same name in the file. Rejects other fields.
 */
export function record<const F extends Fields>(
  fields: F,
): Shape<RecordOf<Named<F>>, JsonOfFields<Named<F>>> {
  // The types of the fields ensure that values match their fields.
  const given = fields as unknown as Readonly<Record<string, LooseField | LooseField["shape"]>>;
  const loose = Object.entries(given).map(([name, field]): [string, LooseField] => [
    name,
    "shape" in field ? field : { file: name, shape: field, written: "always" },
  ]);
  // Not `exactOptional`, which tries its schema on the undefined of each missing field. JSON contains none.
  const schemaOf = ({ shape, written }: LooseField) =>
    written === "sometimes" ? z.optional(shape.schema()) : shape.schema();
  // Objects of one hidden class, visited without an iterator: a run has thousands of records.
  const all = loose.map(([name, { file, shape, isUsual, usual, derive }]) => {
    const { encode, decode } = shape;
    return { name, file, encode, decode, isUsual, usual, derive };
  });
  const kept = all.filter(({ derive }) => derive === undefined);
  const shape: Shape<Loose, Loose> = {
    schema: once(() =>
      z.strictObject(Object.fromEntries(loose.map(([, field]) => [field.file, schemaOf(field)]))),
    ),
    encode: (value, store) => {
      const json: Record<string, unknown> = {};
      all.forEach((field) => {
        const part = field.derive === undefined ? value[field.name] : field.derive(value);
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
  return shape as unknown as Shape<RecordOf<Named<F>>, JsonOfFields<Named<F>>>;
}

/** One of several records, selected by the field `tag`, which has the same name in the core. `other`: the default. */
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

/** A field that contradicts other fields. */
interface Contradiction {
  readonly field: string;
  readonly problem: string;
}

/** Also rejects values in which `find` finds a contradiction. */
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

/** Marks the issues of {@link consistent}, whose message is complete. */
export const CONTRADICTION = { contradiction: true } as const;

/** Creates a value on first use. */
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

/** `derived` fields exist only in the file. */
type Written = "always" | "sometimes" | "derived";

interface Field<File extends string, S extends AnyShape, W extends Written, Usual = never> {
  readonly file: File;
  readonly shape: S;
  readonly written: W;
  readonly isUsual?: (value: never, whole: never) => boolean;
  /** The value if the field is omitted. `before`: the earlier fields. */
  readonly usual?: (before: never) => Usual;
  readonly derive?: (whole: never) => unknown;
}

type Loose = Readonly<Record<string, unknown>>;
interface LooseField {
  readonly file: string;
  readonly shape: Shape<unknown, unknown>;
  readonly written: Written;
  readonly isUsual?: (value: unknown, whole: Loose) => boolean;
  readonly usual?: (before: Loose) => unknown;
  readonly derive?: (whole: Loose) => unknown;
}
type AnyField = Field<string, AnyShape, Written, unknown>;
type Fields = Readonly<Record<string, AnyShape | AnyField>>;
type Options = Parameters<typeof z.discriminatedUnion>[1];

type Named<F extends Fields> = {
  readonly [K in keyof F & string]: F[K] extends AnyField
    ? F[K]
    : F[K] extends AnyShape
      ? Field<K, F[K], "always">
      : never;
};
type NamedFields = Readonly<Record<string, AnyField>>;
/** Fields that are undefined by default are optional. */
type RecordOf<F extends NamedFields> = Flat<
  {
    readonly [K in keyof F as F[K]["written"] extends "derived"
      ? never
      : undefined extends UsualOf<F[K]>
        ? never
        : K]: CoreOf<F[K]["shape"]> | UsualOf<F[K]>;
  } & {
    readonly [K in keyof F as undefined extends UsualOf<F[K]> ? K : never]?:
      | CoreOf<F[K]["shape"]>
      | undefined;
  }
>;
type UsualOf<A> = A extends Field<string, AnyShape, Written, infer Usual> ? Usual : never;
type JsonOfFields<F extends NamedFields> = Flat<
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
