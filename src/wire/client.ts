import type { CodingAgent } from "../clients/common/coding-agent.ts";
import type { Asker } from "../clients/common/probe.ts";
import type { RunSettings } from "../machine/run-state.ts";
import type { EnvironmentSettings } from "../machine/step/step-environment.ts";
import { startHelpers } from "../process/children/helper-processes.ts";
import { DEFAULT_AGENT } from "./agents/agents.ts";
import type { Caller } from "./caller.ts";
import { isContainer, machineFacts, uncontained } from "./container.ts";
import { inheritedByPrompts } from "./engine/inherited.ts";
import { type ProjectTrust, requireTrustedSettings } from "./trust/client-project.ts";

/** What is about to run. */
export interface Upcoming {
  readonly settings: RunSettings;
  /** The workflow has prompt states. */
  readonly prompts: boolean;
  /** The first state is a prompt. */
  readonly promptFirst: boolean;
  readonly project: ProjectTrust;
}

/** The result of the checks before the first state. */
export interface Checked {
  /** Absolute path of the client; null if no prompt needs one. */
  readonly client: string | null;
  readonly warnings: readonly string[];
  /** Keys of the settings of the project that are trusted for this process only. */
  readonly trusted: readonly string[];
  /** Settles during the first steps: a warning, or null. Never rejects. */
  readonly later: Promise<string | null>;
  /** Ends checks in progress before the run ends. Never rejects. */
  readonly end: () => Promise<void>;
}

export const NOTHING_NEEDED: Checked = {
  client: null,
  warnings: [],
  trusted: [],
  later: Promise.resolve(null),
  end: () => Promise.resolve(),
};

/**
 * The checks before the first state (docs/claude.md, "Login"): settings of the project are trusted, the client exists, its version is
 * supported or warned about, it is logged in, and it may skip permissions here. Rejects with a
 * RaymondError. Spends nothing.
 */
export async function checkClient(
  agent: CodingAgent,
  upcoming: Upcoming,
  caller: Caller,
): Promise<Checked> {
  const { name, installation, errors } = agent;
  const { settings, prompts, promptFirst, project } = upcoming;
  if (!prompts) return NOTHING_NEEDED;
  const trusted = await requireTrustedSettings(agent, project, settings, caller);
  const { rootRefusal } = installation;
  if (settings.skipPermissions && isRoot() && caller.env["IS_SANDBOX"] !== "1") {
    if (rootRefusal !== null) throw rootRefusal();
  }
  const asker = await askerOf(caller, settings);
  const path = await installation.find(namedClient(agent, settings), asker.env, caller.cwd);
  // Each question starts the client once, so both run concurrently.
  const done = new AbortController();
  const login = installation.login(path, asker, done.signal);
  const { warning } = await installation.version(path, asker).catch(async (error: unknown) => {
    done.abort();
    await Promise.allSettled([login]);
    throw error;
  });
  const isUncontained = settings.skipPermissions && !isContainer(await machineFacts(caller.env));
  const warnings = [
    ...(warning === null ? [] : [warning]),
    ...(isUncontained ? [uncontained(name)] : []),
  ];
  if (promptFirst) {
    if ((await login).state === "out") throw errors.notLoggedIn();
    return { ...NOTHING_NEEDED, client: path, trusted, warnings };
  }
  const later = login.then(
    ({ state }) =>
      state === "out" ? `${name} is not logged in: the first prompt step will fail.` : null,
    () => null,
  );
  const end = async () => {
    done.abort();
    await later;
  };
  return { client: path, trusted, warnings, later, end };
}

/** The client that the user has named for an agent; null: the usual one. */
export function namedClient(
  { name }: Pick<CodingAgent, "name">,
  { client }: Pick<RunSettings, "client">,
): string | null {
  return name === DEFAULT_AGENT ? client : null;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Runs the client with the environment of prompts, so that it finds the same login. */
export async function askerOf(
  { env, cwd, system }: Caller,
  settings: EnvironmentSettings,
): Promise<Asker> {
  const { processes } = await system();
  return { env: inheritedByPrompts(env, settings), cwd, start: startHelpers(processes.start) };
}
