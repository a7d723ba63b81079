import type { Backend, Reply } from "../../../src/engine/ports/backend.ts";
import type { Cancellation } from "../../../src/engine/ports/cancellation.ts";
import { failure } from "../../../src/machine/model/failure.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";

const NOTHING = {
  branch: false,
  resume: false,
  effort: false,
  budget: false,
  tools: false,
  sandbox: false,
  container: false,
  mcp: false,
  cost: "reported",
  permissions: [],
} as const;

/** Handles a call of the plain backend. */
export type Plain = { readonly says: string } | { readonly fails: string } | "hangs";

/**
 * A minimal backend: it answers prompts, and throws if any other capability is used.
 */
export function plainBackend(does: Plain, name = "plain"): Backend {
  return {
    name,
    can: NOTHING,
    recover: () => Promise.resolve(null),
    invoke: async (call, cancellation, listener) => {
      const { session, effort, maxBudgetMicroUsd, tools, allowedTools, disallowedTools } = call;
      if (session.mode !== "fresh" || session.id === null) throw new Error("more than I can");
      if (call.level === "read-only" || [...call.allow, ...call.deny].length > 0) {
        throw new Error("more than I can enforce");
      }
      const asked = [effort, maxBudgetMicroUsd, tools, allowedTools, disallowedTools];
      if (asked.some((one) => one !== null)) throw new Error("more than I know");
      if (isCancelled(cancellation)) return failed("cancelled", "It was interrupted.");
      if (does !== "hangs" && "fails" in does) return failed("crash", does.fails);
      listener.accepted();
      if (does === "hangs") {
        await cancelled(cancellation);
        return failed("cancelled", "It was interrupted.");
      }
      listener.message(does.says);
      return {
        kind: "reply",
        text: does.says,
        session: session.id,
        capped: false,
        denials: [],
        spend: { ...NO_SPEND, costMicroUsd: 10_000 },
        exitCode: 0,
      };
    },
  };
}

function failed(kind: "crash" | "cancelled", message: string): Reply {
  const spent = { session: null, spend: NO_SPEND, exitCode: null };
  return { ...failure(kind, message), kind: "failure", ...spent };
}

function isCancelled({ interrupt, kill }: Cancellation): boolean {
  return interrupt.aborted || kill.aborted;
}

function cancelled({ interrupt, kill }: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of [interrupt, kill]) {
      signal.addEventListener("abort", () => {
        resolve();
      });
    }
  });
}
