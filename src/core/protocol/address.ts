/**
 * Names a workflow of a run beyond the one that was started: its path from the
 * library, with `/`; of one in the folder of the started one its path from there,
 * after `./`, so that this may be copied and renamed; of one in a folder of
 * `workflow_path` the absolute path. One that the run keeps a copy of has `@` and its SHA-256 behind
 * it, so that an agent in it stays in what it has entered.
 */
export type WorkflowId = string;

/** A state, and the workflow that it lies in; null: the one that was started. */
export interface Address {
  readonly workflow: WorkflowId | null;
  /** The name of a file there. */
  readonly state: string;
}

/** A state as people are told of it: with its workflow before it where that is not the run's. */
export function fullName({ workflow, state }: Address): string {
  return workflow === null ? state : `${workflowName(workflow)}/${state}`;
}

/** A workflow as people are told of it. */
export function workflowName(workflow: WorkflowId): string {
  return workflow.replace(/@[0-9a-f]{64}$/, "");
}

/** The hash of the copy that a run keeps of a workflow; null where it is read where it lies. */
export function copyHash(workflow: WorkflowId): string | null {
  return /@([0-9a-f]{64})$/.exec(workflow)?.[1] ?? null;
}

/** What a path is called by its last part: `lib/review.zip` is `review`, `lib/review/CHECK.md` is `CHECK`. */
export function lastStem(path: string): string {
  const last = path.split("/").findLast((part) => part !== "" && part !== "." && part !== "..");
  return (last ?? "").replace(/\.(?:md|sh|bat|ps1|zip|ya?ml)$/, "");
}

/**
 * Why a text is no path of another workflow, as the end of a sentence; `null`
 * where it may be one. Where it leads is not asked here.
 */
export function workflowPathProblem(path: string): string | null {
  if (path.trim() === "") return "is empty";
  if (path.includes("\0")) return "has a NUL character";
  if (path.includes("<")) return "has a <, which would begin a tag";
  if (path.includes("\\")) return "has a \\, and folders are separated by / on every platform";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) {
    return "is absolute, and must be relative to the folder of this workflow";
  }
  return null;
}
