import type { Agent } from "../core/machine/agent.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { type Payloads, storedText } from "./payload.ts";
import { encodeAgent, encodeRun } from "./state-document.ts";
import type { PayloadReference, StoreText } from "./stored-text.ts";

/** A run as bytes: the state file, and the long texts that it only refers to. */
export interface PrintedRun {
  readonly text: string;
  readonly payloads: Payloads;
}

/**
 * The state file of a run as text (docs/state-file.md). `known` are the
 * payloads of an earlier save: long texts that stay are not hashed each time.
 */
export function printRun(run: RunState, known: Payloads = new Map()): PrintedRun {
  const payloads = new Map<string, PayloadReference>();
  const store = (text: string) => storedText(text, known, payloads);
  const document = encodeRun({ ...run, agents: [] }, store);
  const [before = "", after = ""] = JSON.stringify(document, null, 2).split(NO_AGENTS);
  const agents = run.agents.map((agent) => printAgent(agent, store)).join(",\n");
  const list = agents === "" ? NO_AGENTS : `\n  "agents": [\n${agents}\n  ]`;
  return { text: `${before}${list}${after}\n`, payloads };
}

/** Where the agents stand in a state file without any: a text in it has no line end, and nothing else stands so far left. */
const NO_AGENTS = '\n  "agents": []';

/** Agents as they were printed: from save to save nearly all of them stay as they are. */
const printed = new WeakMap<Agent, string>();

function printAgent(agent: Agent, store: StoreText): string {
  const known = printed.get(agent);
  if (known !== undefined) return known;
  const document = encodeAgent(agent, store);
  const { forked = [] } = document;
  const bare = forked.length === 0 ? document : { ...document, forked: [] };
  const lines = JSON.stringify(bare, null, 2).replaceAll("\n", "\n    ");
  const text = `    ${lines.replace(NO_WORKERS, () => workersList(forked))}`;
  // A long text must be named anew at each save: what no save names any more is removed.
  if (!text.includes('"payloads/')) printed.set(agent, text);
  return text;
}

/** Where the workers of an agent stand: nowhere else does a key with this value, and a text in it has its quotes escaped. */
const NO_WORKERS = '"forked": []';

function workersList(forked: NonNullable<ReturnType<typeof encodeAgent>["forked"]>): string {
  return `"forked": [\n        ${forked.map(printWorker).join(",\n        ")}\n      ]`;
}

/** Workers as they were printed, for an agent with a thousand of them is printed anew for each of its steps. */
const workers = new WeakMap<object, string>();

/** One that lives is encoded as the same object each time. */
function printWorker(worker: object): string {
  const known =
    workers.get(worker) ?? JSON.stringify(worker, null, 2).replaceAll("\n", "\n        ");
  workers.set(worker, known);
  return known;
}
