import { type Failure, failure } from "../../../machine/step/failure.ts";
import type { CallEnding } from "./ending.ts";

/** The client rejected the session at the start; null if not. */
export function sessionFailure({ call, facts, stderr }: CallEnding): Failure | null {
  const text = [...(facts.verdict?.errors ?? []), stderr].join("\n");
  if (facts.accepted) return null;
  if (/no conversation found/i.test(text)) {
    const { session } = call;
    const id = session.mode === "branch" ? session.source : (session.id ?? "");
    const gone = `claude has no conversation ${id}: it was deleted, or it never started.`;
    return failure("lost-session", gone, HINT);
  }
  if (/session id .*already in use/i.test(text)) {
    const message = `claude reports that session ${call.session.id ?? ""} is already in use.`;
    return { class: "crash", message, hint: null, refused: "session-in-use" };
  }
  return null;
}

const HINT =
  "Conversations are stored in the client's folder (CLAUDE_CONFIG_DIR). Restore it if it was moved or cleaned. Clients before 2.1.223 find a conversation only from the working directory in which it started. To continue without it: raymond resume ID --lost-session fresh";
