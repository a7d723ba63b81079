import { formatTokens } from "../../language/basics/tokens.ts";
import type { ContextLimit, PromptFile } from "../../language/workflow/files/state-file.ts";
import { type Agent, conversationOf, type Session, type SessionId } from "../agent.ts";
import type { RunState } from "../run-state.ts";
import type { Context, Contexts } from "./spend.ts";

/** With what an attempt has told of its conversation; what it did not tell stays as it was. */
export function updateContexts(
  contexts: Contexts,
  session: SessionId | null,
  told: Context | null,
): Contexts {
  if (session === null || told === null) return contexts;
  const window = told.window ?? contexts[session]?.window ?? null;
  return { ...contexts, [session]: { ...told, window } };
}

/** The context with which a prompt in this session begins; null: it begins empty, or it is not known. */
export function contextOf({ contexts }: RunState, session: Session): Context | null {
  const conversation = conversationOf(session);
  return conversation === null ? null : (contexts[conversation] ?? null);
}

/**
 * Tokens with which a request in this session begins, at least: of its conversation, else of the
 * smallest one of the run, for what the client sends with every prompt is in each. 0: nothing is known.
 */
export function expectedTokens(run: RunState, session: Session): number {
  const known = contextOf(run, session);
  const all = Object.values(run.contexts).map(({ tokens }) => tokens);
  return known?.tokens ?? (all.length === 0 ? 0 : Math.min(...all));
}

/**
 * Why an agent may not enter a prompt in the conversation that it is in, as a
 * sentence; null where it may. Asked before the prompt is sent, and not again of
 * one that was led here for this very reason.
 */
export function contextProblem(run: RunState, agent: Agent, file: PromptFile): string | null {
  if (file.context === null || agent.wanted !== null || agent.delivery !== "prompt") return null;
  const context = contextOf(run, agent.session);
  const most = context === null ? null : mostTokens(file.context.limit, context);
  if (context === null || most === null || context.tokens <= most) return null;
  return `The conversation holds ${formatTokens(context.tokens)} tokens, and ${file.name} takes it up to ${formatTokens(most)} (max_context).`;
}

/** Of a share only where the window is known. */
function mostTokens(limit: ContextLimit, { window }: Context): number | null {
  switch (limit.kind) {
    case "tokens":
      return limit.tokens;
    case "share":
      return window === null ? null : Math.floor(limit.share * window);
  }
}
