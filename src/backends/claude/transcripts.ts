import { conversationOf } from "../../core/machine/agent.ts";
import type { Backend, Reply } from "../backend.ts";
import type { TranscriptCopies } from "./transcript-copies.ts";

/**
 * A backend whose conversations outlive the client's own tidying up (spec 3,
 * Resume): before a call that needs a conversation, the run's copy is put back
 * if the client has lost it; after a call what is new is copied.
 */
export function withTranscripts(backend: Backend, copies: TranscriptCopies): Backend {
  return {
    name: backend.name,
    invoke: async (call, cancellation, listener, recorder) => {
      const { cwd, session } = call;
      const needed = conversationOf(session);
      const found = needed === null ? "there" : await copies.putBack(needed, cwd);
      if (found === "put-back") {
        listener.notice(
          `The client had lost the conversation ${String(needed)}: it was put back from the run's own copy.`,
        );
      }
      const reply = await backend.invoke(call, cancellation, listener, recorder);
      for (const used of new Set([session.id, reply.session])) {
        if (used !== null) copies.keep(used, cwd);
      }
      return found === "gone" ? withoutCopy(reply, copies.folder) : reply;
    },
  };
}

function withoutCopy(reply: Reply, folder: string): Reply {
  if (reply.kind === "reply" || reply.class !== "lost-session") return reply;
  return { ...reply, message: `${reply.message} The run has no copy of it in ${folder}.` };
}
