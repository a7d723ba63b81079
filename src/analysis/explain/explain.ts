import { counted } from "../../language/basics/counted.ts";
import { DEFAULT_PERMISSIONS, PROTECTED_FILES } from "../../language/basics/default-permissions.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd, type MicroUsd } from "../../language/basics/money.ts";
import type { Outline, OutlinedState, ReadState } from "../../language/outline/outline.ts";
import { isOpen, possibleMoves, reachableFrom } from "../../language/outline/reach.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { PromptFile, ScriptFile } from "../../language/workflow/files/state-file.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { impliedTransition } from "../../language/workflow/policy/policy.ts";
import { listed } from "../../language/workflow/quote.ts";
import type { RunSettings } from "../../machine/run-state.ts";
import { toolsOf } from "../../machine/wait/backend-problem.ts";
import { type Level, levelsOf } from "../graph/levels.ts";
import { describeMove } from "./describe-move.ts";
import { type StateEntry, stateEntries } from "./state-entries.ts";

/** What a workflow does, in sentences. */
export interface Explanation {
  /** What holds for all of it. */
  readonly about: readonly string[];
  /** What an agent comes to before what it calls and forks; what no run comes to is last. */
  readonly states: readonly ExplainedState[];
}

export interface ExplainedState {
  readonly state: StateName;
  readonly kind: "prompt" | "script";
  /** By their headings: what runs, what it may, what it remembers, where it leads, what bounds it, what it costs. */
  readonly said: Readonly<Record<Heading, readonly string[]>>;
}

export const HEADINGS = ["runs", "may", "remembers", "leads to", "bounds", "costs"] as const;
export type Heading = (typeof HEADINGS)[number];

/** The other workflows that a run can come to. */
export interface EnteredWorkflows {
  readonly outlines: readonly Outline[];
  /** Paths of those that cannot be read before a run, as they are written. */
  readonly unread: readonly string[];
}

const NONE_ENTERED: EnteredWorkflows = { outlines: [], unread: [] };

/** Explains a workflow as a run with these settings would find it. */
export function explain(
  outline: Outline,
  settings: RunSettings,
  entered: EnteredWorkflows = NONE_ENTERED,
): Explanation {
  const states = explainStates(outline, settings, "A run begins here, with an empty conversation.");
  return { about: aboutOf(outline, entered, settings), states };
}

/** Explains the states of a workflow that another one enters: those that an agent can come to there. */
export function explainEntered(outline: Outline, settings: RunSettings): readonly ExplainedState[] {
  const used = new Set(usedStates(outline).map(({ name }) => name));
  const states = explainStates(outline, settings, null);
  return states.filter(({ state }) => used.has(state));
}

/** `beginning`: what is said of the first state; null where agents enter it from another workflow. */
function explainStates(
  outline: Outline,
  settings: RunSettings,
  beginning: string | null,
): readonly ExplainedState[] {
  const read = outline.states.flatMap((state) => (state.ok ? [state] : []));
  const byName = new Map(read.map((state) => [state.name, state]));
  const { entry } = outline;
  const levels = entry.ok ? levelsOf(byName, [entry.name]) : [];
  const reached = new Set(levels.flatMap((level) => [...level.states]));
  const gates = gatesOf(read);
  const arrivals = stateEntries(
    read.filter(({ name }) => reached.has(name)),
    levels,
  );
  const order = [...reached, ...gates, ...outline.states.map(({ name }) => name)];
  // Where a result leads is known only of the workflow that a run begins with.
  const ends = beginning === null ? [] : levels;
  return [...new Set(order)].flatMap((name): readonly ExplainedState[] => {
    const state = outline.states.find((one) => one.name === name);
    if (state === undefined) return [];
    const isEntry = entry.ok && entry.name === name;
    const first = isEntry ? [beginning ?? "Another workflow enters here."] : [];
    const gate = gates.has(name)
      ? ["It is a gate: its exit code decides, and its tags are not read."]
      : [];
    const none =
      reached.has(name) || gates.has(name)
        ? []
        : ["No run comes here, as far as the files say it."];
    const known = [...first, ...gate, ...none, ...remembered(arrivals.get(name) ?? [])];
    return [explainState(state, known, gates.has(name) && !reached.has(name), ends, settings)];
  });
}

/** The states of a workflow that a run can come to, and its gates. */
export function usedStates({ entry, states }: Outline): readonly ReadState[] {
  const read = states.flatMap((state) => (state.ok ? [state] : []));
  const gates = gatesOf(read);
  const reached = entry.ok ? reachableFrom(states, [entry.name]) : new Set<StateName>();
  return read.filter(({ name }) => reached.has(name) || gates.has(name));
}

function gatesOf(states: readonly ReadState[]): ReadonlySet<StateName> {
  const named = states.flatMap(({ moves }) => moves.flatMap(({ destinations }) => destinations));
  return new Set(
    named.flatMap(({ role, state }) => (role === "verify" && state !== null ? [state] : [])),
  );
}

function aboutOf(
  outline: Outline,
  { outlines, unread }: EnteredWorkflows,
  { budgetMicroUsd: budget }: RunSettings,
): readonly string[] {
  const { entry } = outline;
  if (!entry.ok) return [`It cannot be run: ${entry.problem.message}`];
  const beyond = outlines.flatMap(usedStates);
  const used = [...usedStates(outline), ...beyond];
  const prompts = promptsOf(used);
  const others = beyond.length === 0 ? "" : `, of which ${countsOf(beyond)} are in other workflows`;
  const begins = [
    `A run begins at ${stemOf(entry.name)}, and may come to ${countsOf(used)}${others}.`,
    ...(unread.length === 0
      ? []
      : [`It may also enter workflows that are known only in a run: ${listed(unread)}.`]),
  ];
  if (prompts.length === 0 && unread.length === 0) {
    return [...begins, "It costs nothing: no prompt is in its way."];
  }
  const own = unread.length === 0 ? sumOf(prompts) : null;
  const least = own === null || (budget !== null && budget < own) ? budget : own;
  if (least === null) return [...begins, "Nothing bounds what it costs: a run has no budget here."];
  const why = least === own ? "what its prompts may cost together" : "the budget of a run here";
  return [
    ...begins,
    `It may cost ${formatUsd(least)} at most, ${why}; --budget sets another limit.`,
  ];
}

function promptsOf(states: readonly ReadState[]): readonly PromptFile[] {
  return states.flatMap(({ file }) => (file.kind === "prompt" ? [file] : []));
}

function countsOf(states: readonly ReadState[]): string {
  const prompts = promptsOf(states).length;
  return `${counted(prompts, "prompt")} and ${counted(states.length - prompts, "script")}`;
}

/** What prompts may cost together that all have a budget; null where one has none. */
function sumOf(prompts: readonly PromptFile[]): MicroUsd | null {
  let sum = 0;
  for (const { budgetMicroUsd } of prompts) {
    if (budgetMicroUsd === null) return null;
    sum += budgetMicroUsd;
  }
  return sum;
}

function explainState(
  state: OutlinedState,
  known: readonly string[],
  isGate: boolean,
  levels: readonly Level[],
  settings: RunSettings,
): ExplainedState {
  const { name, problem } = state;
  const wrong = problem === null ? [] : [`It cannot be entered as it is: ${problem.message}`];
  if (!state.ok) {
    const kind = name.endsWith(".md") ? "prompt" : "script";
    return { state: name, kind, said: { ...NOTHING, runs: wrong } };
  }
  const { file } = state;
  const leads = isGate ? [] : waysOf(state, levels);
  const common = { "leads to": leads, remembers: known };
  switch (file.kind) {
    case "prompt": {
      const runs = [...wrong, answersOf(file, settings)];
      const said = { ...common, runs, may: mayOf(file, settings), bounds: promptBounds(file) };
      return { state: name, kind: file.kind, said: { ...said, costs: [costOf(file, settings)] } };
    }
    case "script": {
      const runs = [...wrong, "A script on this machine."];
      const may = ["All that you may."];
      const said = { ...NOTHING, ...common, runs, may, bounds: scriptBounds(file, settings) };
      return { state: name, kind: file.kind, said: { ...said, costs: ["Nothing."] } };
    }
  }
}

const NOTHING: ExplainedState["said"] = {
  ...{ runs: [], may: [], remembers: [], "leads to": [], bounds: [], costs: [] },
};

function answersOf({ model, effort }: PromptFile, settings: RunSettings): string {
  const named = model ?? settings.model;
  const effortful = effort ?? settings.effort;
  const who = named === null ? "The client's own model" : `The model ${named}`;
  return `${who} answers it${effortful === null ? "" : `, with ${effortful} effort`}.`;
}

function mayOf(file: PromptFile, settings: RunSettings): readonly string[] {
  const { tools, allowedTools, disallowedTools } = toolsOf(file, settings);
  const never = settings.protectWorkflow ? [`Never change: ${PROTECTED_FILES}.`] : [];
  if (settings.skipPermissions) {
    return ["Do anything without asking: permissions are skipped.", ...never];
  }
  return [
    tools === null
      ? `${capitalized(DEFAULT_PERMISSIONS)}.`
      : `Use only these tools: ${words(tools)}.`,
    ...(allowedTools === null ? [] : [`Use without a permission: ${words(allowedTools)}.`]),
    ...(disallowedTools === null ? [] : [`Never use: ${words(disallowedTools)}.`]),
    ...never,
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function words(list: readonly string[]): string {
  return list.length === 0 ? "none" : list.join(", ");
}

/** Ways of coming here that do the same to the conversation, in one line. */
function remembered(arrivals: readonly StateEntry[]): readonly string[] {
  const alike = new Map<string, StateEntry & { readonly all: Set<string> }>();
  for (const arrival of arrivals) {
    const key = `${arrival.by} ${arrival.session}`;
    const known = alike.get(key) ?? { ...arrival, all: new Set() };
    alike.set(key, known);
    known.all.add(arrival.from);
  }
  return [...alike.values()].map(({ by, session, all }) => {
    return `by ${by} from ${listed([...all])}: ${session}`;
  });
}

/** What a result comes to in this state: on each level of which it is part. */
function heardFrom(name: StateName, levels: readonly Level[]): readonly string[] {
  return levels.flatMap((level) => (level.states.has(name) ? heardOn(level) : []));
}

function heardOn({ kind, returnsTo: heard }: Level): readonly string[] {
  const at = heard.size === 0 ? "" : listed([...heard].map(stemOf));
  switch (kind) {
    case "main":
      return ["the end of the agent"];
    case "worker":
      return [at === "" ? "the end of the worker" : `the end of the worker, told at ${at}`];
    case "called":
      return at === "" ? [] : [`back at ${at}`];
  }
}

function waysOf(state: ReadState, levels: readonly Level[]): readonly string[] {
  const { file, name } = state;
  const moves = possibleMoves(state);
  const filled = new Set(moves.flatMap(({ by, origin }) => (origin === "mentioned" ? [by] : [])));
  const shown = moves.filter(
    (move) => !(move.origin === "declared" && isOpen(move) && filled.has(move.by)),
  );
  const ways = [
    ...new Set(
      shown.map((move) => {
        const said = describeMove(move, name);
        const heard = move.by === "result" ? heardFrom(name, levels) : [];
        return heard.length === 0
          ? said
          : `${said}; here: ${heard.slice(0, MOST_ENDS).join(", or ")}${heard.length > MOST_ENDS ? ", or elsewhere" : ""}`;
      }),
    ),
  ];
  if (file.kind === "script") return ways.length > 0 ? ways : ["Nothing that can be read in it."];
  if (file.rules === null) {
    return [
      `It has no rules, so any tag will do${ways.length > 0 ? "; its text shows:" : "."}`,
      ...ways,
    ];
  }
  const needsNone = impliedTransition(file.rules) !== null;
  return needsNone ? [...ways, "This is the only way on, and needs no tag."] : ways;
}

/** So many ends of one result are told. */
const MOST_ENDS = 6;

function promptBounds({ timeoutMs, maxVisits, context }: PromptFile): readonly string[] {
  return [
    ...(timeoutMs === null ? [] : [`${formatDuration(timeoutMs)} for all its attempts together.`]),
    ...visitBounds(maxVisits),
    ...(context === null ? [] : [`A conversation that is too large goes to ${context.target}.`]),
  ];
}

function scriptBounds(file: ScriptFile, { scriptTimeoutMs }: RunSettings): readonly string[] {
  const limit = file.timeoutMs ?? scriptTimeoutMs;
  return [
    ...(limit === 0 ? [] : [`${formatDuration(limit)} for each attempt.`]),
    ...(file.retries === 0 ? [] : [`${counted(file.retries, "retry", "retries")} where it fails.`]),
    ...visitBounds(file.maxVisits),
  ];
}

function visitBounds(maxVisits: number | null): readonly string[] {
  return maxVisits === null ? [] : [`${counted(maxVisits, "visit")} in a run, then it pauses.`];
}

function costOf({ budgetMicroUsd: own }: PromptFile, { budgetMicroUsd: run }: RunSettings): string {
  if (own !== null) return `${formatUsd(own)} at most, all its visits together.`;
  return run === null ? "Whatever it takes." : `What is left of the run's ${formatUsd(run)}.`;
}
