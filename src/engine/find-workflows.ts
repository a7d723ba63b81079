import type { WorkflowId } from "../core/protocol/address.ts";
import type { FoundWorkflows } from "../core/workflow/found-workflow.ts";
import type { Workflows } from "../ports/workflows.ts";

/** What paths mean that a state of this workflow names. */
export async function findWorkflows(
  paths: readonly string[],
  from: WorkflowId | null,
  workflows: Workflows,
): Promise<FoundWorkflows> {
  const found = await Promise.all(
    paths.map(async (path) => [path, await workflows.find(from, path)] as const),
  );
  return new Map(found);
}
