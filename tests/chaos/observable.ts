import type { FakeCall, FakeClient } from "../fixtures/fake-client.ts";
import { GONE_MS, type MarkedProcess } from "../support/process/leaks.ts";
import type { Project } from "../support/project.ts";
import { until } from "../support/until.ts";
import { RUN } from "./scenarios.ts";
import type { Crash, Lifetime, TestBed } from "./test-bed.ts";
import { documentOf } from "./test-bed.ts";

/** Observable results of an ended run. */
export interface Observation {
  readonly status: string;
  readonly results: Readonly<Record<string, unknown>>;
  /** Exit code of the last command; null if it was killed after the run was complete. */
  readonly said: { readonly exitCode: number | null; readonly stdout: string } | null;
  /** Transitions, visits of each state, and workers of each agent. */
  readonly counted: Readonly<Record<string, unknown>>;
  /** By agent, in order: side effects of its steps, each prefixed with the state. */
  readonly effects: Readonly<Record<string, readonly string[]>>;
  /** By agent, in order: the states of sent prompts, and the kinds of sessions. */
  readonly asked: Readonly<Record<string, readonly string[]>>;
  /** Kinds of sessions that received short notes. */
  readonly notes: readonly string[];
  /** Recorded and estimated, micro-dollars. */
  readonly spent: number;
  /** Received results: process number and micro-dollars. */
  readonly paid: readonly { readonly process: number; readonly microUsd: number }[];
  /** Transitions in the event log. */
  readonly logged: number;
  /** Leftovers. */
  readonly leftBehind: readonly string[];
}

/** Observes an ended run. */
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
    logged: await movesLogged(project),
    leftBehind: [
      ...(lived ? await litter(project) : []),
      ...(await leftovers(project)).map(({ pid, command }) => `process ${String(pid)} ${command}`),
    ],
  };
}

/**
 * Differences between a disturbed run and the reference that docs/durability.md does not allow: only steps in flight
 * at a crash may be repeated once. One line per violation.
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
      const problem = withoutRepetitions(
        unbroken[what][agent] ?? [],
        broken[what][agent] ?? [],
        (state) => inFlight(crashes, agent, state),
      );
      if (problem !== null) found.push(`${what} of ${agent}: ${problem}`);
    }
  }
  for (const note of broken.notes) {
    if (!/^resume of (?!unknown)/.test(note)) found.push(`a note was sent into: ${note}`);
  }
  found.push(...broken.leftBehind.map((name) => `left behind: ${name}`));
  if (broken.logged > Number(broken.counted["steps"])) {
    found.push(
      `${String(broken.logged)} transitions were logged, of ${String(broken.counted["steps"])}`,
    );
  }
  found.push(...ledgerProblems(broken, crashes));
  return found;
}

/** The number of crashes while this step of an agent was in flight. */
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
 * Null if `broken` equals `whole` except for immediate repetitions, each at most as often as its first word allows.
 */
export function withoutRepetitions(
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

/** Recorded costs never decrease and include all results that a surviving process received. */
function ledgerProblems(broken: Observation, crashes: readonly Crash[]): readonly string[] {
  const found: string[] = [];
  const recorded = crashes.flatMap(({ document }) => (document === null ? [] : [document]));
  for (const document of recorded) {
    const later = broken.paid.filter(({ process }) => process > document.processes);
    const received = later.filter(({ process }) => !wasInFlight(recorded, process));
    const least = spentIn(document) + received.reduce((sum, { microUsd }) => sum + microUsd, 0);
    if (broken.spent < least) {
      found.push(
        `spent: ${usd(broken.spent)}, and at least ${usd(least)} was recorded or received`,
      );
    }
  }
  return found;
}

type Document = NonNullable<Crash["document"]>;

/** Whether this process was in flight at a crash, so that its result was lost. */
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

/** A session that the run did not start. */
const UNKNOWN = "unknown";

/** Session ids are random: name sessions by the agent and the state that started them. */
function sessionsAsked(calls: readonly FakeCall[]): Pick<Observation, "asked" | "notes"> {
  const names = new Map<string, string>();
  const asked: (readonly [string, string])[] = [];
  const notes: string[] = [];
  for (const { prompt, session, mode, resumed, env } of calls) {
    // raymond was killed before it sent a prompt.
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

async function movesLogged(project: Project): Promise<number> {
  const log = await project.read(`.raymond/runs/${RUN}/events.jsonl`);
  const events = log.match(/^\{"type":"agent\.(moved|ended|diverted)".*/gm) ?? [];
  // A reported failure ends an agent without a transition.
  return events.filter((line) => !line.endsWith('"result":null}')).length;
}

/** A command that was not killed leaves no temporary files and releases the run. */
async function litter(project: Project): Promise<readonly string[]> {
  const files = await project.list(".raymond");
  const halves = files.filter((file) => /\.tmp$|\/claim\.|\.new$/.test(file));
  const locks = files.filter((file) => /\/lock\.\d+$/.test(file));
  const texts = await Promise.all(locks.map((file) => project.read(file)));
  const free = texts.length === 1 && texts.every((text) => text.includes('"released": true'));
  return free ? halves : [...halves, ...locks];
}

/** Grace period for processes that were killed or only queried, ms. */
async function leftovers(project: Project): Promise<readonly MarkedProcess[]> {
  const none = async () => ((await project.orphans()).length === 0 ? ([] as const) : undefined);
  return until("processes to end", none, GONE_MS).catch(() => project.orphans());
}

function byAgent(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const grouped: Record<string, string[]> = {};
  for (const [agent, words] of pairs) grouped[agent] = [...(grouped[agent] ?? []), words];
  return grouped;
}

/** Concurrent agents end in any order. */
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
