import type { CodingAgent } from "../../clients/common/coding-agent.ts";
import { DEFAULT_AGENT } from "../../language/basics/default-agent.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { AGENTS, clientProblem } from "../../wire/agents/agents.ts";
import type { Caller } from "../../wire/caller.ts";
import { clientEnvironment, inherited } from "../../wire/engine/inherited.ts";
import type { Credentials } from "../accounts/accounts-file.ts";
import { clientsOf, promptingAs } from "../accounts/credentials.ts";
import {
  type ClientProblems,
  NO_PROBLEMS,
  problemKey,
  problemWith,
} from "../lease/client-problems.ts";
import type { AccountName } from "../store/rows/placement.ts";

interface ClientHealthOptions {
  readonly caller: Caller;
  readonly accounts: Readonly<Record<AccountName, Credentials>>;
  /** Called whenever the problems have changed. */
  readonly changed: (problems: ClientProblems) => Promise<void>;
}

/**
 * Whether the clients of this worker can answer prompts, with the login of the worker and with each account. Runs
 * that need a client which does not work are not claimed.
 */
export class ClientHealth {
  readonly #options: ClientHealthOptions;
  #found: ClientProblems = NO_PROBLEMS;

  constructor(options: ClientHealthOptions) {
    this.#options = options;
  }

  get problems(): ClientProblems {
    return this.#found;
  }

  /** The problem of an account with one of the coding agents; null: none. */
  problemOf(account: AccountName | null, agents: readonly string[]): string | null {
    return problemWith(this.#found, account, agents);
  }

  /** Whether no coding agent works with an account. */
  hasNone(account: AccountName | null): boolean {
    return AGENTS.every(({ name }) => this.problemOf(account, [name]) !== null);
  }

  /** Starts each client with each account. Costs nothing. */
  async check(): Promise<void> {
    const accounts = ["", ...Object.keys(this.#options.accounts)];
    const pairs = AGENTS.flatMap((agent) => accounts.map((account) => ({ agent, account })));
    const results = await Promise.all(
      pairs.map(async (pair) => ({
        ...pair,
        ...(await this.#findProblem(pair.agent, pair.account)),
      })),
    );
    // A machine needs one agent. The default one is expected if there is no other.
    const installed = new Set(results.flatMap((one) => (one.missing ? [] : one.agent.name)));
    const isMissing = ({ agent, missing }: (typeof results)[number]) =>
      missing && (agent.name !== DEFAULT_AGENT || installed.size > 0);
    const broken = results.flatMap((one) =>
      one.problem === null || isMissing(one)
        ? []
        : [[problemKey(one.account, one.agent.name), one.problem] as const],
    );
    const missing = new Set(results.filter(isMissing).map(({ agent }) => agent.name));
    await this.#set({ problems: Object.fromEntries(broken), missing: [...missing] });
  }

  /** Checks again after a problem. An agent may be installed while the worker runs. */
  async recheck(): Promise<void> {
    const { problems, missing } = this.#found;
    if (Object.keys(problems).length + missing.length > 0) await this.check();
  }

  /** Records a problem that a run has found. */
  report(account: AccountName | null, agent: string, problem: string): Promise<void> {
    const { problems, missing } = this.#found;
    return this.#set({ problems: { ...problems, [problemKey(account, agent)]: problem }, missing });
  }

  async #set(found: ClientProblems): Promise<void> {
    const before = JSON.stringify(this.#found);
    this.#found = found;
    if (JSON.stringify(found) !== before) await this.#options.changed(found);
  }

  async #findProblem(
    { name, installation, errors }: CodingAgent,
    account: AccountName,
  ): Promise<{ readonly problem: string | null; readonly missing: boolean }> {
    const { caller, accounts } = this.#options;
    const credentials = accounts[account];
    const env = clientEnvironment(caller, credentials && promptingAs(credentials));
    const { start } = (await caller.system()).processes;
    const call = { env: inherited(env), cwd: caller.cwd, start };
    const named = clientsOf(caller)[name] ?? null;
    try {
      const path = await installation.find(named, call.env, call.cwd);
      await installation.version(path, call);
      const { state } = await installation.login(path, call);
      const problem = state === "out" ? errors.notLoggedIn().message : null;
      return { problem, missing: false };
    } catch (error) {
      if (!(error instanceof RaymondError)) throw error;
      // A client that the user has named is expected to exist.
      const missing = named === null && clientProblem(error.code)?.problem === "not-found";
      return { problem: error.message, missing };
    }
  }
}
