import * as z from "zod/mini";
import { DEFAULT_AGENT } from "../language/basics/default-agent.ts";
import { words } from "./setting-values.ts";

type Clients = Readonly<Record<string, string>>;

/** The name of the default agent of a run in a setting. */
const DEFAULT = "default";

// A function, so that zod is loaded only when a setting is read.
const agentName = () => z.string().check(z.regex(/^[a-z][a-z0-9-]*$/));

/** The clients of coding agents. As a text: `[AGENT=]PATH`. */
export const CLIENTS = {
  key: "client",
  schema: () => z.union([z.pipe(words(), z.transform(readClient)), z.record(agentName(), words())]),
  expects: 'a name or a path, or a table such as { codex = "/opt/codex" }',
  default: {} as Clients,
  merges: true,
  help: "The client of the coding agent: a name on PATH, or a path. A table names several.",
  variable: "RAYMOND_CLIENT",
  alias: { key: "claude", variable: "RAYMOND_CLAUDE", entry: "claude" },
  flag: {
    value: "[agent=]path",
    help: "Client to run (repeatable)",
    standard: `${DEFAULT_AGENT} on PATH`,
  },
} as const;

/** A path that contains `=` must start with `./` or `/`. */
function readClient(text: string): Clients {
  const [, agent = DEFAULT, path = text] = /^([a-z][a-z0-9-]*)=(.+)$/.exec(text) ?? [];
  return { [agent]: path };
}

/** With the name of the default agent of a run. A client that is given for this name has priority. */
export function resolveClients({ [DEFAULT]: client, ...named }: Clients, agent: string): Clients {
  return client === undefined ? named : { [agent]: client, ...named };
}

/** The clients of several sources; later ones override earlier ones. `agent`: the default agent of the run. */
export function mergeClients(sources: readonly Clients[], agent: string): Clients {
  const all = sources.flatMap((source) => Object.entries(resolveClients(source, agent)));
  const named = Object.entries(Object.fromEntries(all));
  // The usual client is not stored, so that a worker may replace it.
  return Object.fromEntries(named.filter(([name, client]) => name !== client));
}
