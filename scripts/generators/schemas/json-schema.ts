/** What of JSON Schema the published schemas are made of. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** An object with these keys; any other is refused, unless `others` says what it may be. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  {
    required = [],
    others = false,
  }: { required?: readonly string[]; others?: JsonSchema | false } = {},
): JsonSchema {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: others,
  };
}

/** Each with the words of the docs as its description, which editors show. */
export function described(
  properties: Readonly<Record<string, JsonSchema>>,
  words: ReadonlyMap<string, string>,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => {
      const description = words.get(key);
      if (description === undefined) throw new Error(`The docs have no row for the key ${key}`);
      return [key, { ...schema, description }] as const;
    }),
  );
}
