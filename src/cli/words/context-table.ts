import type { ConversationContext } from "../../inspect/costs.ts";
import { formatShare } from "../../language/basics/tokens.ts";
import { printable } from "../../log/printable.ts";
import { formatTable } from "./table.ts";

export function formatContexts(contexts: readonly ConversationContext[]): readonly string[] {
  if (contexts.length === 0) return ["", "No conversation has reported its size yet."];
  const rows = contexts.map(({ agent, session, context: { tokens, window } }) => [
    printable(session),
    printable(agent),
    tokens.toLocaleString("en-US"),
    window === null ? "–" : window.toLocaleString("en-US"),
    formatShare(tokens, window) ?? "–",
  ]);
  const head = ["conversation", "agent", "in context", "window", "full"];
  return formatTable([[], head, ...rows], ["left", "left", "right", "right", "right"]);
}

export function contextsJson(contexts: readonly ConversationContext[]): readonly object[] {
  return contexts.map(({ agent, session, context: { tokens, window } }) => ({
    agent,
    session_id: session,
    tokens,
    window,
  }));
}
