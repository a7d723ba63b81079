import { DEFAULT_AGENT } from "../../language/basics/default-agent.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { agentNamed } from "../../wire/agents/agents.ts";
import type { Caller } from "../../wire/caller.ts";
import { clientEnvironment, inherited } from "../../wire/engine/inherited.ts";
import type { Credentials } from "../accounts/accounts-file.ts";
import { clientsOf, promptingAs } from "../accounts/credentials.ts";
import type { ClientProblems } from "../lease/machines.ts";
import type { AccountName } from "../store/rows/placement.ts";

interface ClientHealthOptions {
  /** The caller of the worker's runs. */
  readonly caller: Caller;
  readonly accounts: Readonly<Record<AccountName, Credentials>>;
  /** Called whenever the problems have changed. */
  readonly changed: (problems: ClientProblems) => Promise<void>;
}

/**
 * Whether the client of this worker can answer prompts, with the login of the worker and with each account. Runs
 * that need a client which does not work are not claimed.
 */
export class ClientHealth {
  readonly #options: ClientHealthOptions;
  #problems: ClientProblems = {};

  constructor(options: ClientHealthOptions) {
    this.#options = options;
  }

  get problems(): ClientProblems {
    return this.#problems;
  }

  /** The problem with the client of an account; null: none. */
  problemOf(account: AccountName | null): string | null {
    return this.#problems[account ?? ""] ?? null;
  }

  /** Starts the client with each account. Costs nothing. */
  async check(): Promise<void> {
    const accounts = ["", ...Object.keys(this.#options.accounts)];
    const problems = await Promise.all(
      accounts.map(async (account) => [account, await this.#findProblem(account)] as const),
    );
    await this.#set(
      Object.fromEntries(
        problems.flatMap(([account, problem]) => (problem === null ? [] : [[account, problem]])),
      ),
    );
  }

  /** Checks again after a problem. */
  async recheck(): Promise<void> {
    if (Object.keys(this.#problems).length > 0) await this.check();
  }

  /** Records a problem that a run has found. */
  report(account: AccountName | null, problem: string): Promise<void> {
    return this.#set({ ...this.#problems, [account ?? ""]: problem });
  }

  async #set(problems: ClientProblems): Promise<void> {
    const before = JSON.stringify(this.#problems);
    this.#problems = problems;
    if (JSON.stringify(problems) !== before) await this.#options.changed(problems);
  }

  async #findProblem(account: AccountName): Promise<string | null> {
    const { caller, accounts } = this.#options;
    const credentials = accounts[account];
    const env = clientEnvironment(caller, credentials && promptingAs(credentials));
    const { start } = (await caller.system()).processes;
    const call = { env: inherited(env), cwd: caller.cwd, start };
    try {
      const { name, installation, errors } = agentNamed(DEFAULT_AGENT);
      const path = await installation.find(clientsOf(caller)[name] ?? null, call.env, call.cwd);
      await installation.version(path, call);
      const { state } = await installation.login(path, call);
      return state === "out" ? errors.notLoggedIn().message : null;
    } catch (error) {
      if (error instanceof RaymondError) return error.message;
      throw error;
    }
  }
}
