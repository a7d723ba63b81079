import type { Ending } from "./ending.ts";
import { type Failure, failure } from "./failure.ts";

/** The client refuses the session before it does anything; null where it does not. */
export function sessionFailure({ call, facts, stderr }: Ending): Failure | null {
  const said = [...(facts.verdict?.errors ?? []), stderr].join("\n");
  if (facts.accepted) return null;
  if (/no conversation found/i.test(said)) {
    const { session } = call;
    const wanted = session.mode === "branch" ? session.source : (session.id ?? "");
    return {
      ...failure(
        "lost-session",
        `claude has no conversation ${wanted}: it is gone, or it never began.`,
      ),
      hint: HINT,
      refused: "session-unknown",
    };
  }
  if (/session id .*already in use/i.test(said)) {
    return {
      ...failure(
        "crash",
        `claude says that the session ${call.session.id ?? ""} is already in use.`,
      ),
      refused: "session-in-use",
    };
  }
  return null;
}

const HINT =
  "Conversations lie in the client's own folder (CLAUDE_CONFIG_DIR): put it back if it was moved or cleaned. Clients before 2.1.223 find one only from the working directory in which it began. --resume ID --lost-session fresh goes on without it.";
