import { type Failure, failure } from "../../core/machine/failure.ts";
import type { CallEnding } from "./ending.ts";

/** The client refuses the session before it does anything; null where it does not. */
export function sessionFailure({ call, facts, stderr }: CallEnding): Failure | null {
  const said = [...(facts.verdict?.errors ?? []), stderr].join("\n");
  if (facts.accepted) return null;
  if (/no conversation found/i.test(said)) {
    const { session } = call;
    const wanted = session.mode === "branch" ? session.source : (session.id ?? "");
    const gone = `claude has no conversation ${wanted}: it is gone, or it never began.`;
    return failure("lost-session", gone, HINT);
  }
  if (/session id .*already in use/i.test(said)) {
    const message = `claude says that the session ${call.session.id ?? ""} is already in use.`;
    return { class: "crash", message, hint: null, refused: "session-in-use" };
  }
  return null;
}

const HINT =
  "Conversations lie in the client's own folder (CLAUDE_CONFIG_DIR): put it back if it was moved or cleaned. Clients before 2.1.223 find one only from the working directory in which it began. --resume ID --lost-session fresh goes on without it.";
