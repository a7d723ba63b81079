import { conversationOf, type SessionId } from "../../core/machine/agent.ts";
import { failure } from "../../core/machine/failure.ts";
import { NO_SPEND } from "../../core/machine/spend.ts";
import type { Backend, Invocation, Reply } from "../../ports/backend.ts";
import type { TranscriptCopies } from "./transcript-copies.ts";

/**
 * A backend whose conversations survive the client's own clean-up
 * (docs/claude.md, "Conversations are kept"): before a call that needs a
 * conversation, the run's copy is put back if the client has lost it; after a
 * call what is new is copied. `lostAdvice`: what would have kept one that is gone.
 */
export function withTranscripts(
  backend: Backend,
  copies: TranscriptCopies,
  lostAdvice: string | null = null,
): Backend {
  return {
    name: backend.name,
    can: backend.can,
    recall: (call) => copies.recall(call),
    invoke: async (call, cancellation, listener, recorder) => {
      const { cwd, session } = call;
      const needed = conversationOf(session);
      const found = needed === null ? "there" : await copies.putBack(needed, cwd);
      if (found === "put-back") {
        listener.notice(
          `The client had lost the conversation ${String(needed)}: it was put back from the run's own copy.`,
        );
      }
      if (needed !== null && found === "cut") return cutSession(needed, copies.folder);
      const before = session.mode === "resume" ? await copies.size(session.id, cwd) : null;
      const accepted = () => {
        listener.accepted(before);
      };
      const said = await backend.invoke(call, cancellation, { ...listener, accepted }, recorder);
      const heard = before === null ? said : await withPrompt(said, before, call, copies);
      const reply = await withStretch(heard, before, call, copies);
      const cut = await wasCut(reply, before, call, copies);
      if (cut !== null) {
        await copies.markCut(cut);
        listener.warning(
          `The conversation ${cut} was deleted or cut while this step ran. The run's copy in ${copies.folder} is kept, and ends before this step. The next step in this conversation fails, unless the run is resumed with --lost-session fresh.`,
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
 * A client can be ended after it has written the prompt down, and before it has
 * said so. Sent again, the prompt would stand in the conversation twice.
 */
async function withPrompt(
  reply: Reply,
  before: number,
  { session: { id }, cwd }: Invocation,
  copies: TranscriptCopies,
): Promise<Reply> {
  if (reply.kind === "reply" || reply.session !== null || id === null) return reply;
  if (reply.class !== "cancelled" && reply.class !== "crash") return reply;
  return (await copies.hasHeard(id, cwd, before)) ? { ...reply, session: id } : reply;
}

/** The conversation of a call that was accepted, where its transcript is shorter now than before the call. */
async function wasCut(
  reply: Reply,
  before: number | null,
  { session: { id }, cwd }: Invocation,
  copies: TranscriptCopies,
): Promise<SessionId | null> {
  if (before === null || id === null || reply.session !== id) return null;
  return ((await copies.size(id, cwd)) ?? 0) < before ? id : null;
}

/** A call that is not made: it would continue what is left of its conversation. */
function cutSession(session: SessionId, folder: string): Reply {
  const message = `The conversation ${session} was deleted or cut while a step ran in it. The run's copy in ${folder} ends before that step.`;
  const hint =
    "Put the whole conversation back into the client's folder and remove the mark beside the copy, or resume with --lost-session fresh to continue without it.";
  const lost = { ...failure("lost-session", message, hint), session: null, spend: NO_SPEND };
  return { kind: "failure", ...lost, exitCode: null };
}

/** What the call has added: where a rerun of it has to cut. */
async function withStretch(
  reply: Reply,
  before: number | null,
  { session, cwd }: Invocation,
  copies: TranscriptCopies,
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
