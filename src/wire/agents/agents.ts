import { claude } from "../../clients/claude/agent.ts";
import { codex } from "../../clients/codex/agent.ts";
import { CLIENT_PROBLEMS } from "../../clients/common/client-errors.ts";
import type { CodingAgent } from "../../clients/common/coding-agent.ts";
import { pi } from "../../clients/pi/agent.ts";

/** All coding agents (docs/contributing.md, "Add a coding agent"). */
export const AGENTS: readonly CodingAgent[] = [claude, codex, pi];

/** Null for the simulation, and for an agent that this version does not have. */
export function findAgent(name: string): CodingAgent | null {
  return AGENTS.find((agent) => agent.name === name) ?? null;
}

/** Throws for an unknown name, which is a bug: `requireBackend` has checked it. */
export function agentNamed(name: string): CodingAgent {
  const agent = findAgent(name);
  if (agent === null) throw new Error(`there is no coding agent ${name}`);
  return agent;
}

export interface ClientProblem {
  readonly agent: string;
  readonly problem: (typeof CLIENT_PROBLEMS)[number];
}

/** Null for any other error. */
export function clientProblem(code: string): ClientProblem | null {
  const known = AGENTS.flatMap(({ name: agent }) =>
    CLIENT_PROBLEMS.map((problem) => ({ agent, problem })),
  );
  return known.find(({ agent, problem }) => code === `${agent}/${problem}`) ?? null;
}
