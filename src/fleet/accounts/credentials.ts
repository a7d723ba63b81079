import { isSimulated } from "../../engine/ports/backend.ts";
import type { RunState } from "../../machine/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import type { Prompting } from "../../wire/engine/inherited.ts";
import type { AccountName } from "../store/rows/placement.ts";
import type { WorkerContext } from "../worker/worker-context.ts";
import type { Credentials } from "./accounts-file.ts";

/** The client that this worker names for all its runs, by RAYMOND_CLAUDE; null where it names none. */
export function clientOf({ env }: Pick<Caller, "env">): string | null {
  return env["RAYMOND_CLAUDE"] || null;
}

/** How the prompts of a run are answered here. */
export function promptingOf(
  { backend }: Pick<RunState, "backend">,
  account: AccountName | null,
  { accounts, accountSlots, caller }: Pick<WorkerContext, "accounts" | "accountSlots" | "caller">,
): Prompting {
  const client = clientOf(caller);
  if (account === null) return { env: {}, client };
  const credentials = accounts[account];
  if (credentials === undefined) throw new Error(`this worker has no credentials of ${account}`);
  const answered = { ...promptingAs(credentials), client };
  // Answers that stand in a file cost nothing, and have no process.
  if (isSimulated(backend)) return answered;
  return { ...answered, around: (executor) => accountSlots.around(executor, account) };
}

/**
 * How prompts of an account are answered: by its credentials, and by none that the worker has itself, or
 * another would pay.
 */
export function promptingAs(credentials: Credentials): Pick<Prompting, "env"> {
  const none = Object.fromEntries(WHO_PAYS.map((name) => [name, undefined]));
  return { env: { ...none, ...credentials } };
}

/** By these the client finds who pays (docs/claude.md, "Login"). */
const WHO_PAYS = [
  ...[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
  ],
  ...["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"],
  ...["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "AWS_BEARER_TOKEN_BEDROCK"],
] as const;
