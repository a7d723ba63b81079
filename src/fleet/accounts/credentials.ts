import { mergeClients } from "../../config/client-setting.ts";
import { readEnvironment } from "../../config/environment.ts";
import { isSimulated } from "../../engine/ports/backend.ts";
import { DEFAULT_AGENT } from "../../language/basics/default-agent.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { AGENTS } from "../../wire/agents/agents.ts";
import type { Caller } from "../../wire/caller.ts";
import type { Prompting } from "../../wire/engine/inherited.ts";
import type { AccountName } from "../store/rows/placement.ts";
import type { WorkerContext } from "../worker/worker-context.ts";
import type { Credentials } from "./accounts-file.ts";

/** The clients of all runs of this worker by coding agent, from RAYMOND_CLIENT and RAYMOND_CLAUDE. */
export function clientsOf({ env }: Pick<Caller, "env">): Readonly<Record<string, string>> {
  return mergeClients([readEnvironment(env).clients ?? {}], DEFAULT_AGENT);
}

export function promptingOf(
  { backend }: Pick<RunState, "backend">,
  account: AccountName | null,
  { accounts, accountSlots, caller }: Pick<WorkerContext, "accounts" | "accountSlots" | "caller">,
): Prompting {
  const clients = clientsOf(caller);
  if (account === null) return { env: {}, clients };
  const credentials = accounts[account];
  if (credentials === undefined) throw new Error(`this worker has no credentials of ${account}`);
  const prompting = { ...promptingAs(credentials), clients };
  // Simulated answers cost nothing and start no process.
  if (isSimulated(backend)) return prompting;
  return { ...prompting, around: (executor) => accountSlots.around(executor, account) };
}

/** Uses only the credentials of the account, and none of the worker itself, so that the right account pays. */
export function promptingAs(credentials: Credentials): Pick<Prompting, "env"> {
  const unset = Object.fromEntries(ACCOUNT_VARIABLES.map((name) => [name, undefined]));
  return { env: { ...unset, ...credentials } };
}

/** The variables that decide which account a client uses. */
const ACCOUNT_VARIABLES = AGENTS.flatMap(({ account }) => account.variables);
