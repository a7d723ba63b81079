import type { WorkflowId } from "../../language/protocol/address.ts";
import type { ResolvedWorkflows } from "../../language/workflow/files/found-workflow.ts";
import type { Workflows } from "../ports/workflows.ts";

/** Resolves the workflow paths that a state of this workflow names. */
export async function findWorkflows(
  paths: readonly string[],
  from: WorkflowId | null,
  workflows: Workflows,
): Promise<ResolvedWorkflows> {
  const found = await Promise.all(
    paths.map(async (path) => [path, await workflows.find(from, path)] as const),
  );
  return new Map(found);
}
