import type { FakeCall, FakeClient } from "../fixtures/fake-client.ts";
import { GONE_MS, type MarkedProcess } from "../support/leaks.ts";
import type { Project } from "../support/project.ts";
import { until } from "../support/until.ts";
import { RUN } from "./scenarios.ts";
import type { Crash, Lifetime, TestBed } from "./test-bed.ts";
import { documentOf } from "./test-bed.ts";

/** What a user can see of a run that has ended, however often it was broken off. */
export interface Observation {
  readonly status: string;
  readonly results: Readonly<Record<string, unknown>>;
  /** Of the last command; null where it was killed, after the run was complete. */
  readonly said: { readonly exitCode: number | null; readonly stdout: string } | null;
  /** Outcomes that moved an agent; how often each state was entered; workers of each agent. */
  readonly counted: Readonly<Record<string, unknown>>;
  /** By agent, in order: what its steps have done to the world, each beginning with its state. */
  readonly effects: Readonly<Record<string, readonly string[]>>;
  /** By agent, in order: the state whose prompt was sent, and the shape of its session. */
  readonly asked: Readonly<Record<string, readonly string[]>>;
  /** Shapes of the sessions into which short notes were sent. */
  readonly notes: readonly string[];
  /** Recorded and estimated, micro-dollars. */
  readonly spent: number;
  /** Results that were heard: the number of the process, and micro-dollars. */
  readonly paid: readonly { readonly process: number; readonly microUsd: number }[];
  /** Moves that the event log has told. */
  readonly told: number;
  /** What should not be there any more. */
  readonly leftBehind: readonly string[];
}

/** Looks at a run that has ended. */
export async function observe(bed: TestBed, { commands }: Lifetime): Promise<Observation> {
  const { project, client } = bed;
  const document = await documentOf(bed);
  if (document === null) throw new Error("There is no run");
  const { status, results, steps, visits, fork_counters } = document;
  const last = commands.at(-1);
  const lived = last?.signal === null;
  const calls = await client.calls();
  return {
    status,
    results,
    said: lived ? { exitCode: last.exitCode, stdout: last.stdout } : null,
    counted: { steps, visits, fork_counters },
    effects: await effectsIn(project),
    ...sessionsAsked(calls),
    spent: spentIn(document),
    paid: await paidTo(client),
    told: await movesTold(project),
    leftBehind: [
      ...(lived ? await litter(project) : []),
      ...(await leftovers(project)).map(({ pid, command }) => `process ${String(pid)} ${command}`),
    ],
  };
}

/**
 * What a broken run shows that the unbroken one does not, beyond what the
 * contract allows (docs/durability.md): a step in flight at a crash may be
 * repeated once. A line for each violation.
 */
export function compare(
  unbroken: Observation,
  broken: Observation,
  crashes: readonly Crash[],
): readonly string[] {
  const found: string[] = [];
  for (const what of ["status", "results", "said", "counted"] as const) {
    if (broken[what] === null) continue;
    const [wanted, got] = [print(unbroken[what]), print(broken[what])];
    if (wanted !== got) found.push(`${what}: ${short(got)} instead of ${short(wanted)}`);
  }
  for (const what of ["effects", "asked"] as const) {
    const agents = new Set([...Object.keys(unbroken[what]), ...Object.keys(broken[what])]);
    for (const agent of agents) {
      const problem = lessRepetitions(
        unbroken[what][agent] ?? [],
        broken[what][agent] ?? [],
        (state) => inFlight(crashes, agent, state),
      );
      if (problem !== null) found.push(`${what} of ${agent}: ${problem}`);
    }
  }
  for (const note of broken.notes) {
    if (!/^resume of (?!nobody)/.test(note)) found.push(`a note was sent into: ${note}`);
  }
  found.push(...broken.leftBehind.map((name) => `left behind: ${name}`));
  if (broken.told > Number(broken.counted["steps"])) {
    found.push(`${String(broken.told)} moves were told, of ${String(broken.counted["steps"])}`);
  }
  found.push(...ledgerProblems(broken, crashes));
  return found;
}

/** How often a crash found this step of an agent in flight. */
function inFlight(crashes: readonly Crash[], agent: string, state: string): number {
  return crashes.filter(({ document }) =>
    document?.agents.some(
      ({ id, current_state, activity, gate }) =>
        id === agent &&
        activity?.type === "running" &&
        stem(gate?.checks[0]?.state ?? current_state) === state,
    ),
  ).length;
}

/**
 * Null where `broken` is `whole` with elements said again right after
 * themselves, each at most as often as its first word allows.
 */
export function lessRepetitions(
  whole: readonly string[],
  broken: readonly string[],
  allowed: (word: string) => number,
): string | null {
  const left = new Map<string, number>();
  let at = 0;
  for (const [index, each] of broken.entries()) {
    if (each === whole[at]) {
      at += 1;
      continue;
    }
    const word = each.split(" ")[0] ?? "";
    const again = left.get(word) ?? allowed(word);
    if (each !== broken[index - 1] || again === 0) {
      return `${list(broken)} instead of ${list(whole)}: ${each} is not due`;
    }
    left.set(word, again - 1);
  }
  const missing = whole.slice(at);
  return missing.length === 0 ? null : `${list(broken)}: ${list(missing)} did not come`;
}

/** Recorded spend never shrinks, and holds all that a process that lived on was told. */
function ledgerProblems(broken: Observation, crashes: readonly Crash[]): readonly string[] {
  const found: string[] = [];
  const recorded = crashes.flatMap(({ document }) => (document === null ? [] : [document]));
  for (const document of recorded) {
    const later = broken.paid.filter(({ process }) => process > document.processes);
    const heard = later.filter(({ process }) => !wasInFlight(recorded, process));
    const least = spentIn(document) + heard.reduce((sum, { microUsd }) => sum + microUsd, 0);
    if (broken.spent < least) {
      found.push(`spent: ${usd(broken.spent)}, and at least ${usd(least)} was recorded or heard`);
    }
  }
  return found;
}

type Document = NonNullable<Crash["document"]>;

/** Whether this process was working at a crash: nobody heard its result. */
function wasInFlight(documents: readonly Document[], process: number): boolean {
  return documents.some(({ agents }) =>
    agents.some(({ activity }) => activity?.type === "running" && activity.process === process),
  );
}

function spentIn(document: Document): number {
  return Math.round((document.total_cost_usd + document.totals.estimated_usd) * 1e6);
}

async function effectsIn(project: Project): Promise<Observation["effects"]> {
  const text = await project.read("effects").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return byAgent(
    lines.map((line) => {
      const [agent = "", ...words] = line.split(" ");
      return [agent, words.join(" ")];
    }),
  );
}

/** Stands for a session that the run did not begin. */
const UNKNOWN = "nobody";

/** Session ids are random: a session is called by who began it, and in which state. */
function sessionsAsked(calls: readonly FakeCall[]): Pick<Observation, "asked" | "notes"> {
  const names = new Map<string, string>();
  const asked: (readonly [string, string])[] = [];
  const notes: string[] = [];
  for (const { prompt, session, mode, resumed, env } of calls) {
    // Raymond died before it had said a word to it.
    if (prompt === "") continue;
    const agent = env["RAYMOND_AGENT_ID"] ?? "";
    const state = /^\[(\w+)\]/.exec(prompt)?.[1];
    const shape = resumed === null ? mode : `${mode} of ${names.get(resumed) ?? UNKNOWN}`;
    if (state === undefined) notes.push(shape);
    else asked.push([agent, `${state} ${shape}`]);
    if (mode !== "resume") names.set(session, `${agent} ${state ?? "nothing"}`);
  }
  return { asked: byAgent(asked), notes };
}

async function paidTo(client: FakeClient): Promise<Observation["paid"]> {
  const paid = await client.paid();
  return paid.map(({ token, cost }) => {
    return { process: Number(token?.split(".")[1]), microUsd: Math.round(cost * 1e6) };
  });
}

async function movesTold(project: Project): Promise<number> {
  const log = await project.read(`.raymond/runs/${RUN}/events.jsonl`);
  const told = log.match(/^\{"type":"agent\.(moved|ended|diverted)".*/gm) ?? [];
  // A failure that is reported ends an agent, and is no move.
  return told.filter((line) => !line.endsWith('"result":null}')).length;
}

/** A command that was not killed leaves nothing half-done, and lets go of the run. */
async function litter(project: Project): Promise<readonly string[]> {
  const files = await project.list(".raymond");
  const halves = files.filter((file) => /\.tmp$|\/claim\.|\.new$/.test(file));
  const locks = files.filter((file) => /\/lock\.\d+$/.test(file));
  const texts = await Promise.all(locks.map((file) => project.read(file)));
  const free = texts.length === 1 && texts.every((text) => text.includes('"released": true'));
  return free ? halves : [...halves, ...locks];
}

/** What was killed, or was asked about itself before the first step, may need a moment to be gone. */
async function leftovers(project: Project): Promise<readonly MarkedProcess[]> {
  const none = async () => ((await project.leftovers()).length === 0 ? ([] as const) : undefined);
  return until("processes to end", none, GONE_MS).catch(() => project.leftovers());
}

function byAgent(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const grouped: Record<string, string[]> = {};
  for (const [agent, words] of pairs) grouped[agent] = [...(grouped[agent] ?? []), words];
  return grouped;
}

/** Agents that run side by side end in any order. */
function print(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function stem(state: string): string {
  return state.replace(/\.(md|sh)$/, "");
}

function list(words: readonly string[]): string {
  return `[${words.join(", ")}]`;
}

function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function usd(microUsd: number): string {
  return `$${(microUsd / 1e6).toFixed(6)}`;
}
