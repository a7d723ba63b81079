/**
 * Identifies another workflow than the started one. Three forms:
 *
 * - a path relative to the library, with `/`;
 * - `./PATH`, relative to the folder of the started workflow, which can then be copied and renamed;
 * - an absolute path, if it is in a folder of `workflow_path`.
 *
 * If the run keeps a copy of the workflow, `@` and the SHA-256 of its content follow: an agent stays
 * in the content that it entered.
 */
export type WorkflowId = string;

/** A state and its workflow; null: the started workflow. */
export interface Address {
  readonly workflow: WorkflowId | null;
  readonly state: string;
}

/** The name of a state in messages: prefixed with its workflow unless that is the started one. */
export function fullName({ workflow, state }: Address): string {
  return workflow === null ? state : `${workflowName(workflow)}/${state}`;
}

export function workflowName(workflow: WorkflowId): string {
  return workflow.replace(/@[0-9a-f]{64}$/, "");
}

/** The hash of the copy that a run keeps of a workflow; null if it is read in place. */
export function copyHash(workflow: WorkflowId): string | null {
  return /@([0-9a-f]{64})$/.exec(workflow)?.[1] ?? null;
}

/** The last part without its extension: `lib/review.zip` → `review`, `lib/review/CHECK.md` → `CHECK`. */
export function lastStem(path: string): string {
  const last = path.split("/").findLast((part) => part !== "" && part !== "." && part !== "..");
  return (last ?? "").replace(/\.(?:md|sh|bat|ps1|zip|ya?ml)$/, "");
}

/** Why a text is not a valid workflow path, as the end of a sentence; null if it is. Does not resolve it. */
export function workflowPathProblem(path: string): string | null {
  if (path.trim() === "") return "is empty";
  if (path.includes("\0")) return "contains a NUL character";
  if (path.includes("<")) return "contains <, which starts a tag";
  if (path.includes("\\")) return "contains \\: use / on every platform";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) {
    return "is absolute: it must be relative to the folder of this workflow";
  }
  return null;
}
