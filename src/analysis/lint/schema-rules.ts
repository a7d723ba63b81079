import { nearest } from "../../language/basics/nearest.ts";
import { TOP } from "../../language/basics/place.ts";
import type { OutlinedMove, PlacedName, ReadState } from "../../language/outline/outline.ts";
import { namedSchemas } from "../../language/workflow/named-schemas.ts";
import { checkedPart } from "../../language/workflow/policy/schema-name.ts";
import { quoted } from "../../language/workflow/quote.ts";
import { PAYLOAD_NAMES } from "../../language/workflow/template.ts";
import { isByTag, stateOf } from "../moves.ts";
import type { Found } from "./finding.ts";
import { type LintContext, type LintRule, severityIfReached } from "./lint-context.ts";
import { undeclaredField } from "./schema-fields.ts";

export const SCHEMA_RULES: readonly LintRule[] = [
  {
    id: "RAY901",
    severity: "error",
    title: "missing or invalid schema",
    check: (context) => [...missing(context), ...invalid(context)],
  },
  {
    id: "RAY902",
    severity: "warning",
    title: "unused schema",
    check: ({ states, outline, schemas }) => {
      // An unreadable state may name any schema.
      if (states.length < outline.states.length) return [];
      const named = new Set(
        states.flatMap(({ file }) => namedSchemas(file)).map(({ name }) => name),
      );
      return schemas.names
        .filter((name) => !named.has(name))
        .map((name) => ({
          source: schemas.source(name),
          at: TOP,
          message: `No rule and no script names the schema ${name}.`,
          hint: "Name it in a rule, such as { tag: result, schema: FILE }, or remove the file.",
        }));
    },
  },
  {
    id: "RAY903",
    severity: "warning",
    title: "field that the schema does not declare",
    check: (context) => context.states.flatMap((state) => undeclaredFields(context, state)),
  },
];

function missing(context: LintContext): readonly Found[] {
  const { states, schemas } = context;
  return states.flatMap((state) =>
    namedSchemas(state.file).flatMap(({ name, at }): readonly Found[] => {
      if (schemas.names.includes(name)) return [];
      const guess = nearest(name, schemas.names);
      return [
        {
          ...{ source: state.source, at, severity: severityIfReached(context, state), word: name },
          message: `Schema ${quoted(name)} not found.${guess === null ? "" : ` Did you mean ${guess}?`}`,
          hint: "Correct the name, or add the file to the folder of the workflow.",
        },
      ];
    }),
  );
}

function invalid({ schemas }: LintContext): readonly Found[] {
  return [...schemas.named].flatMap(([name, schema]) =>
    "problem" in schema ? [{ ...schema.problem, source: schemas.source(name) }] : [],
  );
}

/** The fields of a prompt that a schema of a transition into its state does not declare. */
function undeclaredFields(context: LintContext, state: ReadState): readonly Found[] {
  const fields = state.placeholders.filter(
    ({ root, path }) => path.length > 0 && PAYLOAD_NAMES.has(root),
  );
  if (fields.length === 0) return [];
  const schemas = schemasInto(context, state);
  return fields.flatMap((field) => {
    for (const [name, document] of schemas) {
      const problem = undeclaredField(document, field.path);
      if (problem !== null) return [describe(state, field, name, problem)];
    }
    return [];
  });
}

function describe(
  { source }: ReadState,
  { name, at }: PlacedName,
  schema: string,
  problem: string,
): Found {
  return {
    ...{ source, at },
    message: `{{${name}}}: ${schema} ${problem}.`,
    hint: "Correct the name, or declare the field in the schema. A step fails if its payload lacks the field.",
  };
}

/** The schemas of the payloads with which transitions enter a state, by their names. */
function schemasInto(
  { states, schemas, movesOf }: LintContext,
  { name: state }: ReadState,
): ReadonlyMap<string, unknown> {
  const names = states.flatMap(movesOf).flatMap((move) => {
    const { rule } = move;
    return rule?.schema !== undefined && entered(move) === state ? [rule.schema] : [];
  });
  return new Map(
    [...new Set(names)].flatMap((name) => {
      const found = schemas.named.get(name);
      return found !== undefined && "document" in found ? [[name, found.document] as const] : [];
    }),
  );
}

/** The state that a move enters with its checked payload; null if it is not known. */
function entered(move: OutlinedMove) {
  const part = isByTag(move) ? checkedPart(move.by) : null;
  if (part === "return") return stateOf(move, "return");
  return part === "input" ? stateOf(move, "target") : null;
}
