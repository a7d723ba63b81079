import type { WorkflowId } from "../../language/protocol/address.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import type { Workflows } from "../ports/workflows.ts";

/** A file of a workflow that a step is about to use. */
export interface UsedFile {
  readonly workflow: WorkflowId | null;
  /** A state, or a schema. */
  readonly name: string;
  /** The file to edit, for messages. */
  readonly source: string;
}

/**
 * Reports a file that changed during the run, or returns why it must not be used (docs/permissions.md,
 * "Changed files").
 */
export async function refuseChanged(
  { changedFiles, protectWorkflow }: Pick<RunSettings, "changedFiles" | "protectWorkflow">,
  { workflow, name, source }: UsedFile,
  workflows: Workflows,
  report: (event: Event) => void,
): Promise<{ readonly message: string; readonly hint: string } | null> {
  if (changedFiles === "allow") return null;
  const change = await workflows.changeOf(workflow, name);
  if (change === null) return null;
  const problem = `${source} was ${change} during the run`;
  if (change === "added" && protectWorkflow && changedFiles === "warn") {
    workflows.refuseChange(workflow, name);
    return {
      message: `${problem}, so it is not used.`,
      hint: 'Check the file, then resume the run, which accepts it. If the workflow writes states itself, set changed_files = "allow".',
    };
  }
  if (changedFiles === "refuse") {
    workflows.refuseChange(workflow, name);
    return {
      message: `${problem}, and changed_files = "refuse".`,
      hint: "Check the file, then resume the run, which accepts its new content.",
    };
  }
  workflows.acceptChange(workflow, name);
  const hint = 'Check that the change is intended. To stop instead, set changed_files = "refuse".';
  report({ type: "run.warning", message: `${problem}; its new content is used.`, hint });
  return null;
}
