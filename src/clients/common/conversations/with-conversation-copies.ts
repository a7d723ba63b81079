import type { Backend, Invocation, Reply } from "../../../engine/ports/backend.ts";
import { conversationOf, type SessionId } from "../../../machine/model/agent.ts";
import { failure } from "../../../machine/model/failure.ts";
import { notStarted, requireId } from "../call-failures.ts";
import { clause } from "../ending.ts";
import type { ConversationCopies, WriteProblem } from "./conversation-copies.ts";

/**
 * A backend whose conversations survive the client's cleanup (docs/claude.md, "Conversations"): before a call the run's
 * copy is restored if the client has lost the conversation, and after a call the new part is copied. `lostAdvice`: how to
 * prevent the loss of a conversation without a copy.
 */
export function withConversationCopies(
  backend: Backend,
  copies: ConversationCopies,
  lostAdvice: string | null = null,
): Backend {
  return {
    ...backend,
    recover: (call) => copies.recall(call),
    invoke: async (call, cancellation, listener, recorder) => {
      const { cwd, session } = call;
      const needed = conversationOf(session);
      const found = needed === null ? "there" : await copies.putBack(needed, cwd);
      if (found === "put-back") {
        listener.notice(
          `The client had lost conversation ${String(needed)}. It was restored from the run's copy.`,
        );
      }
      if (needed !== null && found === "cut") return cutSession(needed, copies.folder);
      if (needed !== null && found === "empty") return emptySession(needed, backend.name);
      const unwritable = await copies.writeProblem(requireId(session), cwd);
      if (unwritable !== null) return unwritableFolder(backend.name, unwritable);
      const before = session.mode === "resume" ? await copies.size(session.id, cwd) : null;
      const accepted = () => {
        listener.accepted(before);
      };
      const result = await backend.invoke(call, cancellation, { ...listener, accepted }, recorder);
      const confirmed = await withPrompt(result, before, call, copies);
      const reply = await withStretch(confirmed, before, call, copies);
      const cut = await wasCut(reply, before, call, copies);
      if (cut !== null) {
        await copies.markCut(cut);
        listener.warning(
          `Conversation ${cut} was deleted or truncated while this step ran. The run's copy in ${copies.folder} ends before this step. The next step in this conversation fails, unless the run is resumed with --lost-session fresh.`,
        );
      }
      if (reply.kind === "reply" && cut === null && (await copies.isMissing(reply.session, cwd))) {
        listener.warning(
          `${backend.name} has not stored conversation ${reply.session}. The next step in it fails, unless the run is resumed with --lost-session fresh. Check the space and the permissions of the client's folder.`,
        );
      }
      for (const used of new Set([session.id, reply.session])) {
        if (used !== null && used !== cut) copies.keep(used, cwd);
      }
      return found === "gone" ? withoutCopy(reply, copies.folder, lostAdvice) : reply;
    },
  };
}

/**
 * A client can be killed after it has stored the prompt and before it reports so. Sent again, the prompt would be there
 * twice. The API can also answer before the client stores the prompt: continued, the conversation would be without it.
 */
async function withPrompt(
  reply: Reply,
  before: number | null,
  { session: { id }, cwd }: Invocation,
  copies: ConversationCopies,
): Promise<Reply> {
  if (reply.kind === "reply" || id === null) return reply;
  if (reply.session !== null) {
    const isStored = reply.session !== id || (await copies.hasInputSince(id, cwd, before ?? 0));
    return isStored ? reply : { ...reply, session: null };
  }
  if (before === null || (reply.class !== "cancelled" && reply.class !== "crash")) return reply;
  return (await copies.hasPromptSince(id, cwd, before)) ? { ...reply, session: id } : reply;
}

/** The conversation of an accepted call, if its transcript is shorter than before the call. */
async function wasCut(
  reply: Reply,
  before: number | null,
  { session: { id }, cwd }: Invocation,
  copies: ConversationCopies,
): Promise<SessionId | null> {
  if (before === null || id === null || reply.session !== id) return null;
  return ((await copies.size(id, cwd)) ?? 0) < before ? id : null;
}

/** The failure of a call whose conversation the client could not store. Some clients would answer, be paid, and lose it. */
function unwritableFolder(agent: string, { file, reason }: WriteProblem): Reply {
  return notStarted(
    failure(
      "deterministic",
      `${agent} cannot store the conversation in ${file}: ${clause(reason)}.`,
      "Make the folder writable for this user, or set another one for the client (CLAUDE_CONFIG_DIR, CODEX_HOME or PI_CODING_AGENT_DIR).",
    ),
  );
}

/** The failure of a call that would continue a truncated conversation. */
function cutSession(session: SessionId, folder: string): Reply {
  const message = `Conversation ${session} was deleted or truncated while a step ran in it. The run's copy in ${folder} ends before that step.`;
  const hint =
    "Restore the whole conversation in the client's folder and delete the .cut file of the copy, or resume with --lost-session fresh to continue without it.";
  return notStarted(failure("lost-session", message, hint));
}

/** The failure of a call that would continue a conversation without a prompt. */
function emptySession(session: SessionId, agent: string): Reply {
  const message = `Conversation ${session} contains no prompt: ${agent} was ended before it stored one.`;
  return notStarted(failure("lost-session", message));
}

/** Adds the bytes that the call has appended, which a rerun cuts off. */
async function withStretch(
  reply: Reply,
  before: number | null,
  { session, cwd }: Invocation,
  copies: ConversationCopies,
): Promise<Reply> {
  const { id } = session;
  if (id === null || (session.mode === "resume" && before === null)) return reply;
  const to = await copies.size(id, cwd);
  return to === null || to < (before ?? 0)
    ? reply
    : { ...reply, stretch: { session: id, from: before ?? 0, to } };
}

function withoutCopy(reply: Reply, folder: string, lostAdvice: string | null): Reply {
  if (reply.kind === "reply" || reply.class !== "lost-session") return reply;
  const advice = lostAdvice === null ? "" : ` ${lostAdvice}`;
  return { ...reply, message: `${reply.message} The run has no copy of it in ${folder}.${advice}` };
}
