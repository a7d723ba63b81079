import { claudeErrors } from "../../clients/claude/errors.ts";
import { locateClient } from "../../clients/claude/locate.ts";
import { askLogin } from "../../clients/claude/probe.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import type { Caller } from "../../wire/caller.ts";
import { clientEnvironment, inherited } from "../../wire/engine/inherited.ts";
import type { Credentials } from "../accounts/accounts-file.ts";
import { clientOf, promptingAs } from "../accounts/credentials.ts";
import type { ClientProblems } from "../lease/machines.ts";
import type { AccountName } from "../store/rows/placement.ts";

/** What the health of a worker's client depends on. */
interface Checked {
  /** The caller of its runs: the client is looked for, and asked, as they would start it. */
  readonly caller: Caller;
  readonly accounts: Readonly<Record<AccountName, Credentials>>;
  /** Receives the problems whenever they have changed. */
  readonly changed: (problems: ClientProblems) => Promise<void>;
}

/**
 * Whether the client of this worker can answer prompts: with the worker's own log-in, and with each of its
 * accounts. While it cannot, the worker claims no run that needs it.
 */
export class ClientHealth {
  readonly #of: Checked;
  #problems: ClientProblems = {};

  constructor(of: Checked) {
    this.#of = of;
  }

  get problems(): ClientProblems {
    return this.#problems;
  }

  get isHealthy(): boolean {
    return Object.keys(this.#problems).length === 0;
  }

  /** Why runs of an account cannot have prompts answered here; null where they can. */
  problemOf(account: AccountName | null): string | null {
    return this.#problems[account ?? ""] ?? null;
  }

  /** Looks again. It starts the client, and spends nothing. */
  async check(): Promise<void> {
    const all = [null, ...Object.keys(this.#of.accounts)];
    const found = await Promise.all(
      all.map(async (account) => [account, await this.#ask(account)]),
    );
    const problems = found.flatMap(([account, problem]) =>
      problem === null ? [] : [[account ?? "", problem]],
    );
    await this.#set(Object.fromEntries(problems) as ClientProblems);
  }

  /** A run has found that the client does not work. */
  report(account: AccountName | null, problem: string): Promise<void> {
    return this.#set({ ...this.#problems, [account ?? ""]: problem });
  }

  async #set(problems: ClientProblems): Promise<void> {
    const before = JSON.stringify(this.#problems);
    this.#problems = problems;
    if (JSON.stringify(problems) !== before) await this.#of.changed(problems);
  }

  async #ask(account: AccountName | null): Promise<string | null> {
    const { caller, accounts } = this.#of;
    const credentials = account === null ? undefined : accounts[account];
    const env = clientEnvironment(caller, credentials && promptingAs(credentials));
    const { start } = (await caller.system()).processes;
    const asker = { env: inherited(env), cwd: caller.cwd, start };
    try {
      const { path } = await locateClient(clientOf(caller), asker);
      if ((await askLogin(path, asker)).state === "out")
        throw claudeErrors["claude/not-logged-in"]();
      return null;
    } catch (error) {
      if (error instanceof RaymondError) return error.message;
      throw error;
    }
  }
}

/** Checks a client that does not work, until it does. Never rejects. */
export async function recheckClients(
  clients: ClientHealth,
  of: { readonly clock: Clock; readonly until: AbortSignal; readonly pollMs: number },
): Promise<void> {
  const { clock, until, pollMs } = of;
  while (!until.aborted) {
    await clock.sleep(pollMs * POLLS_A_CHECK, until);
    if (clients.isHealthy) continue;
    await clients.check().catch(() => undefined);
  }
}

/** Between two checks of a client that does not work: each starts the client. */
const POLLS_A_CHECK = 30;
