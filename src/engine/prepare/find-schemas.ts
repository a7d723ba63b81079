import { RaymondError } from "../../language/basics/errors.ts";
import type { ResolvedSchema } from "../../language/workflow/named-schemas.ts";
import {
  type ResolvedSchemas,
  type SchemaUse,
  schemaKey,
} from "../../machine/decide/check-payload.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import type { Workflows } from "../ports/workflows.ts";
import { refuseChanged } from "./changed-files.ts";

/** Loads schemas. A schema that is missing, invalid or refused as changed is a value. */
export async function findSchemas(
  uses: readonly SchemaUse[],
  settings: Pick<RunSettings, "changedFiles" | "protectWorkflow">,
  workflows: Workflows,
  report: (event: Event) => void,
): Promise<ResolvedSchemas> {
  const found = new Map<string, ResolvedSchema>();
  for (const use of uses) {
    found.set(schemaKey(use), await findSchema(use, settings, workflows, report));
  }
  return found;
}

async function findSchema(
  { workflow, name }: SchemaUse,
  settings: Pick<RunSettings, "changedFiles" | "protectWorkflow">,
  workflows: Workflows,
  report: (event: Event) => void,
): Promise<ResolvedSchema> {
  const scope = workflows.scope(workflow);
  try {
    const file = { workflow, name, source: scope.source(name) };
    const refusal = await refuseChanged(settings, file, workflows, report);
    if (refusal !== null) return { ok: false, ...refusal };
    return { ok: true, schema: await scope.schema(name) };
  } catch (error) {
    if (error instanceof RaymondError) {
      return { ok: false, message: error.message, hint: error.hint ?? null };
    }
    throw error;
  }
}
