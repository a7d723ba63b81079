import type { JsonObject } from "../../language/basics/json-object.ts";
import { textAt } from "../common/json-fields.ts";

/**
 * Deny rules of every call: tools that move the work to a worktree of the client, where scripts, gates and `diff` do not
 * see it, or that schedule work for a time after the step (docs/claude.md, "Withheld tools").
 */
export const WITHHELD_TOOLS = [
  "EnterWorktree",
  "Agent(isolation:worktree)",
  "CronCreate",
  "RemoteTrigger",
] as const;

/** Why a tool call is denied by {@link WITHHELD_TOOLS}, with the alternative; null: it is not. */
export function withheldNotice(tool: string, input: JsonObject): string | null {
  switch (tool) {
    case "EnterWorktree":
      return `raymond denies EnterWorktree. ${WORKTREE}`;
    case "Agent":
    case "Task":
      if (textAt(input, "isolation") !== "worktree") return null;
      return `raymond denies subagents in a worktree of the client. ${WORKTREE}`;
    case "CronCreate":
    case "RemoteTrigger":
      return `raymond denies ${tool}: its work would run after the step. Let a script or a scheduler start it.`;
    default:
      return null;
  }
}

const WORKTREE =
  "To work in a worktree, use the worktree attribute of a tag, or raymond WORKFLOW --worktree.";
