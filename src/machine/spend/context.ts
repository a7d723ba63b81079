import { formatTokens } from "../../language/basics/tokens.ts";
import type { ContextLimit, PromptFile } from "../../language/workflow/files/state-file.ts";
import { type Agent, conversationOf, type Session, type SessionId } from "../model/agent.ts";
import { ownerOf } from "../model/owners.ts";
import type { RunState } from "../model/run-state.ts";
import type { Context, Contexts } from "../model/spend.ts";

/** Stores the context reported by an attempt. A null value keeps the stored one. */
export function updateContexts(
  contexts: Contexts,
  session: SessionId | null,
  reported: Context | null,
): Contexts {
  if (session === null || reported === null) return contexts;
  const window = reported.window ?? contexts[session]?.window ?? null;
  return { ...contexts, [session]: { ...reported, window } };
}

/** The context of a session before its next prompt; null: empty or unknown. */
export function contextOf({ contexts }: RunState, session: Session): Context | null {
  const conversation = conversationOf(session);
  return conversation === null ? null : (contexts[conversation] ?? null);
}

/**
 * Minimum input tokens of the next request in this session: its context, else the smallest context of
 * the same coding agent, because each contains the client's own prompt. 0: unknown.
 */
export function expectedTokens(
  run: RunState,
  session: Session,
  backend: string = run.backend,
): number {
  const known = contextOf(run, session);
  const own = Object.entries(run.contexts).filter(([id]) => ownerOf(run, id) === backend);
  const all = own.map(([, { tokens }]) => tokens);
  return known?.tokens ?? (all.length === 0 ? 0 : Math.min(...all));
}

/**
 * Why the conversation of an agent is too large for a prompt, as a sentence; null if it is not. Not
 * checked for an agent that `on_context` moved here.
 */
export function contextProblem(run: RunState, agent: Agent, file: PromptFile): string | null {
  if (file.context === null || agent.wanted !== null || agent.delivery !== "prompt") return null;
  const context = contextOf(run, agent.session);
  const most = context === null ? null : mostTokens(file.context.limit, context);
  if (context === null || most === null || context.tokens <= most) return null;
  return `The conversation has ${formatTokens(context.tokens)} tokens. The limit of ${file.name} is ${formatTokens(most)} (max_context).`;
}

/** Null: a share of an unknown window. */
function mostTokens(limit: ContextLimit, { window }: Context): number | null {
  switch (limit.kind) {
    case "tokens":
      return limit.tokens;
    case "share":
      return window === null ? null : Math.floor(limit.share * window);
  }
}
