import { formatShare } from "../core/tokens.ts";
import { printable } from "../observers/printable.ts";
import type { HeldContext } from "../runs/inspect.ts";
import { formatTable } from "./table.ts";

/** How full each conversation of a run is, as the table that `raymond cost --context` adds. */
export function formatContexts(contexts: readonly HeldContext[]): readonly string[] {
  if (contexts.length === 0) return ["", "No conversation has told yet how full it is."];
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

/** The same for scripts. */
export function contextsJson(contexts: readonly HeldContext[]): readonly object[] {
  return contexts.map(({ agent, session, context: { tokens, window } }) => ({
    agent,
    session_id: session,
    tokens,
    window,
  }));
}
