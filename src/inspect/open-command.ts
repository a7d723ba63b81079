import { existsSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../console/shell-word.ts";
import type { Conversation } from "../log/event-history.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { findAgent } from "../wire/agents/agents.ts";
import { namedClient } from "../wire/client.ts";
import { ownerOfConversation } from "./coding-agents.ts";

/** The command that opens a conversation in its client. Null if the client cannot do that. */
export function openCommand(
  conversation: Pick<Conversation, "session" | "cwd" | "backend">,
  run: Pick<RunState, "backend" | "settings">,
): string | null {
  const agent = findAgent(ownerOfConversation(conversation, run));
  if (agent === null || agent.manual === null) return null;
  const { session, cwd } = conversation;
  if (isRemovedWorktree(cwd)) return null;
  const words = [namedClient(agent, run.settings) ?? agent.name, ...agent.manual.reopen(session)];
  return `cd ${shellWord(cwd)} && ${words.map((word) => shellWord(word)).join(" ")}`;
}

/** Whether a folder was in a worktree that raymond has removed. Other folders may be on another machine. */
export function isRemovedWorktree(folder: string): boolean {
  return folder.includes(WORKTREES) && !existsSync(folder);
}

const WORKTREES = path.join(path.sep, "raymond", "worktrees", path.sep);
