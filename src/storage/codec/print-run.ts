import type { Agent } from "../../machine/model/agent.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { type PayloadReference, type Payloads, type StoreText, storedText } from "./payload.ts";
import { encodeAgent, encodeRun } from "./state-document.ts";

/** A state file, and the long texts that it references. */
export interface PrintedRun {
  /** The text in parts. Copies of the whole text would be most of the memory of a large run. */
  readonly parts: readonly string[];
  /** The whole text, joined at each access. */
  readonly text: string;
  readonly payloads: Payloads;
}

/** `known`: the payloads of an earlier save, so that unchanged long texts are not hashed again. */
export function printRun(run: RunState, known: Payloads = new Map()): PrintedRun {
  const payloads = new Map<string, PayloadReference>();
  const store = (text: string) => storedText(text, known, payloads);
  const document = encodeRun({ ...run, agents: [] }, store);
  const [before = "", after = ""] = JSON.stringify(document, null, 2).split(NO_AGENTS);
  const agents = run.agents.map((agent) => printAgent(agent, store));
  const [first, ...others] = agents;
  const list =
    first === undefined ? [NO_AGENTS] : ['\n  "agents": [', first.slice(1), ...others, "\n  ]"];
  const parts = [before, ...list, after, "\n"];
  return {
    parts,
    payloads,
    get text() {
      return parts.join("");
    },
  };
}

/** The position of the agents. Unique: texts contain no line end, and no other key has this indentation. */
const NO_AGENTS = '\n  "agents": []';

/** Printed agents: nearly all are unchanged from save to save. */
const printed = new WeakMap<Agent, string>();

/** An element of the list after another one: with the comma before it. */
function printAgent(agent: Agent, store: StoreText): string {
  const known = printed.get(agent);
  if (known !== undefined) return known;
  const document = encodeAgent(agent, store);
  const { forked = [] } = document;
  const text = forked.length === 0 ? element(document) : withWorkers(document, forked);
  // Each save must register its long texts again: others are deleted.
  if (!text.includes('"payloads/')) printed.set(agent, text);
  return text;
}

/** Printed inside a list, so that its lines have their indentation. */
function element(document: object): string {
  return `,${JSON.stringify({ agents: [document] }, null, 2).slice(BEFORE.length, -AFTER.length)}`;
}

const [BEFORE, AFTER] = ['{\n  "agents": [', "\n  ]\n}"];

function withWorkers(document: object, forked: readonly object[]): string {
  const list = `"forked": [\n        ${forked.map(printWorker).join(",\n        ")}\n      ]`;
  return element({ ...document, forked: [] }).replace(NO_WORKERS, () => list);
}

/** The position of the workers of an agent. Unique: quotes in texts are escaped. */
const NO_WORKERS = '"forked": []';

/** Printed workers: an agent with thousands of workers is printed for each of its steps. */
const workers = new WeakMap<object, string>();

/** A worker without a long text is always encoded as the same object. */
function printWorker(worker: object): string {
  const known =
    workers.get(worker) ?? JSON.stringify(worker, null, 2).replaceAll("\n", "\n        ");
  workers.set(worker, known);
  return known;
}
