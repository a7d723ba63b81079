import type { FailedCall } from "../../engine/ports/backend.ts";
import type { Session, SessionId } from "../../machine/model/agent.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";
import { NO_SPEND } from "../../machine/model/spend.ts";
import { clause } from "./ending.ts";

/** The reply of a call whose client was not started. */
export function notStarted(why: Failure): FailedCall {
  return { kind: "failure", ...why, session: null, spend: NO_SPEND, exitCode: null };
}

/** The client has no conversation with this id. `where`: its folder of conversations. `more`: ends with a blank. */
export function lostSession(agent: string, id: string, where: string, more = ""): Failure {
  return failure(
    "lost-session",
    `${agent} has no conversation ${id}: it was deleted, or it never started.`,
    `Conversations are stored in ${where}. Restore it if it was moved or cleaned. ${more}To continue without it: raymond resume ID --lost-session fresh`,
  );
}

/** A call with this id has started before. */
export function sessionInUse(message: string): Failure {
  return { class: "crash", message, hint: null, refused: "session-in-use" };
}

/** A usage limit; `resetsAt`: epoch ms, null if unknown. */
export function limitReached(message: string, resetsAt: number | null): Failure {
  const hint = "The run waits for the reset. With --no-wait it stops and can be resumed later.";
  return { class: "limit", message, hint, resetsAt };
}

/** Throws without an id, which is a bug: ids are created and saved before the call. */
export function requireId({ id }: Session): SessionId {
  if (id === null) throw new Error("a session must have its id before the client is called");
  return id;
}

/** An account without credit or with an unpaid invoice; null for other texts of a client. */
export function paymentFailure(text: string): Failure | null {
  return NO_CREDIT.test(text) ? cannotPay(text) : null;
}

export function cannotPay(text: string): Failure {
  return failure(
    "deterministic",
    `The account cannot pay: ${clause(text)}.`,
    "Add credit, or check the plan and the billing of the account. Then continue with: raymond resume ID",
  );
}

const NO_CREDIT =
  /insufficient_quota|out of budget|quota exceeded|exceeded your current quota|\bbilling[_ ](?:details|hard|error)|& billing\b|credit balance|\bpayment required\b|\binsufficient (?:credits?|funds|balance)\b/i;
