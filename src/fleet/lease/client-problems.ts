import { DEFAULT_AGENT } from "../../language/basics/default-agent.ts";
import type { AccountName } from "../store/rows/placement.ts";

/** Why the clients of a machine cannot answer prompts. */
export interface ClientProblems {
  /** By {@link problemKey}. */
  readonly problems: Readonly<Record<string, string>>;
  /** Coding agents that are not installed. */
  readonly missing: readonly string[];
}

export const NO_PROBLEMS: ClientProblems = { problems: {}, missing: [] };

/** `team`, `team on codex`, `on codex`; empty for the default agent without an account. SQL: {@link hasClients}. */
export function problemKey(account: AccountName | null, agent: string): string {
  const name = account ?? "";
  return agent === DEFAULT_AGENT ? name : `${name} on ${agent}`.trimStart();
}

/** The first problem with one of the coding agents that a run needs; null: none. */
export function problemWith(
  { problems, missing }: ClientProblems,
  account: AccountName | null,
  agents: readonly string[],
): string | null {
  for (const agent of agents) {
    const problem = problems[problemKey(account, agent)];
    if (problem !== undefined) return problem;
    if (missing.includes(agent)) return `The coding agent ${agent} is not installed.`;
  }
  return null;
}

/** SQL condition: a row of `raymond.machines` has working clients of all `agents`, a JSON array, for an account. */
export function hasClients(machine: string, account: string, agents: string): string {
  const key = `CASE WHEN needed = '${DEFAULT_AGENT}' THEN coalesce(${account}, '')
    ELSE ltrim(coalesce(${account}, '') || ' on ' || needed) END`;
  return `NOT EXISTS (SELECT 1 FROM jsonb_array_elements_text(${agents}) AS needed
    WHERE coalesce(${machine}.facts->'missing' ? needed, false)
      OR coalesce(${machine}.facts->'clients' ? ${key}, false))`;
}

/** SQL: the coding agents that a row of `raymond.runs` needs. Runs of earlier versions need the default one. */
export function neededAgents(row: string): string {
  return `coalesce(${row}.placement->'needs'->'agents', '["${DEFAULT_AGENT}"]'::jsonb)`;
}
