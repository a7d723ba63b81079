import { shellWord } from "../console/shell-word.ts";
import type { Conversation } from "../log/event-history.ts";
import type { RunState } from "../machine/run-state.ts";
import { agentNamed, findAgent } from "../wire/agents/agents.ts";
import { namedClient } from "../wire/client.ts";

/** Whether the run's client can open its conversations by their ids. */
export function canOpenConversations({ backend }: Pick<RunState, "backend">): boolean {
  return findAgent(backend)?.manual != null;
}

/** The command that opens a conversation in its client. Null if the client cannot do that. */
export function openCommand(
  { session, cwd }: Pick<Conversation, "session" | "cwd">,
  { backend, settings }: Pick<RunState, "backend" | "settings">,
): string | null {
  const agent = agentNamed(backend);
  if (agent.manual === null) return null;
  const words = [namedClient(agent, settings) ?? agent.name, ...agent.manual.reopen(session)];
  return `cd ${shellWord(cwd)} && ${words.map((word) => shellWord(word)).join(" ")}`;
}
