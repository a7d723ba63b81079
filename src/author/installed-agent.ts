import { DEFAULT_AGENT } from "../language/basics/default-agent.ts";
import { onUserError } from "../language/basics/errors.ts";
import { AGENTS, agentNamed } from "../wire/agents/agents.ts";
import type { Caller } from "../wire/caller.ts";
import { inherited } from "../wire/engine/inherited.ts";

/** The first installed coding agent, if that is not the default one; else null. Starts no program. */
export async function otherInstalledAgent(
  caller: Pick<Caller, "env" | "cwd">,
): Promise<string | null> {
  const usual = agentNamed(DEFAULT_AGENT);
  for (const agent of [usual, ...AGENTS.filter((one) => one !== usual)]) {
    if (await isInstalled(agent, caller)) return agent === usual ? null : agent.name;
  }
  return null;
}

function isInstalled(
  { installation }: (typeof AGENTS)[number],
  { env, cwd }: Pick<Caller, "env" | "cwd">,
): Promise<boolean> {
  const found = installation.find(null, inherited(env), cwd);
  return found.then(() => true).catch(onUserError(() => false));
}
