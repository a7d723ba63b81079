import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd, type MicroUsd } from "../../language/basics/money.ts";
import {
  type Outline,
  type OutlinedState,
  type ReadState,
  reachableFrom,
  shownMoves,
} from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import {
  type PromptFile,
  type ScriptFile,
  stateKind,
} from "../../language/workflow/files/state-file.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { impliedTransition } from "../../language/workflow/policy/policy.ts";
import { listed } from "../../language/workflow/quote.ts";
import { type Level, levelsOf } from "../graph/levels.ts";
import { stateOf } from "../moves.ts";
import { type ExplainSettings, environmentOf } from "./describe-environment.ts";
import { modelOf } from "./describe-model.ts";
import { describeMove } from "./describe-move.ts";
import { explainPermissions, sandboxesOf, scriptPermissions } from "./explain-permissions.ts";
import { type StateEntry, stateEntries } from "./state-entries.ts";

export interface Explanation {
  readonly about: readonly string[];
  /** Reachable states first, callers before the states that they call and fork. */
  readonly states: readonly ExplainedState[];
}

export interface ExplainedState {
  readonly state: StateName;
  readonly kind: "prompt" | "script";
  readonly said: Readonly<Record<Heading, readonly string[]>>;
}

export const HEADINGS = ["runs", "may", "remembers", "leads to", "bounds", "costs"] as const;
export type Heading = (typeof HEADINGS)[number];

export interface EnteredWorkflows {
  readonly outlines: readonly Outline[];
  /** Written paths of workflows that are known only at run time. */
  readonly unread: readonly string[];
}

const NONE_ENTERED: EnteredWorkflows = { outlines: [], unread: [] };

export function explain(
  outline: Outline,
  settings: ExplainSettings,
  entered: EnteredWorkflows = NONE_ENTERED,
): Explanation {
  return { about: aboutOf(outline, entered, settings), states: explainStates(outline, settings) };
}

/** Explains the reachable states of a workflow that another workflow enters. */
export function explainEntered(
  outline: Outline,
  settings: ExplainSettings,
): readonly ExplainedState[] {
  const used = new Set(usedStates(outline).map(({ name }) => name));
  return explainStates(outline, settings, true).filter(({ state }) => used.has(state));
}

/** `isEntered`: another workflow enters this one. */
function explainStates(
  outline: Outline,
  settings: ExplainSettings,
  isEntered = false,
): readonly ExplainedState[] {
  const { entry, states } = outline;
  const read = states.flatMap((state) => (state.ok ? [state] : []));
  const byName = new Map(read.map((state) => [state.name, state]));
  const levels = entry.ok ? levelsOf(byName, [entry.name]) : [];
  const reached = new Set(levels.flatMap((level) => [...level.states]));
  const gates = gatesOf(read);
  const entries = stateEntries(
    read.filter(({ name }) => reached.has(name)),
    levels,
  );
  const start = isEntered
    ? "Another workflow enters here."
    : "A run starts here, with an empty conversation.";
  // The result of an entered workflow returns to another workflow.
  const known = isEntered ? [] : levels;
  const order = new Set([...reached, ...gates, ...states.map(({ name }) => name)]);
  return [...order].flatMap((name): readonly ExplainedState[] => {
    const state = states.find((one) => one.name === name);
    if (state === undefined) return [];
    const isReached = reached.has(name);
    const isGate = gates.has(name);
    const remembers = [
      ...(entry.ok && entry.name === name ? [start] : []),
      ...(isGate ? ["A gate: its exit code decides, and its tags are ignored."] : []),
      ...(isReached || isGate ? [] : ["No run reaches this state, as far as the files show."]),
      ...describeEntries(entries.get(name) ?? []),
    ];
    return [explainState(state, remembers, isGate && !isReached, known, settings)];
  });
}

/** The states that a run can reach, and its gates. */
export function usedStates({ entry, states }: Outline): readonly ReadState[] {
  const read = states.flatMap((state) => (state.ok ? [state] : []));
  const gates = gatesOf(read);
  const reached = entry.ok ? reachableFrom(states, [entry.name]) : new Set<StateName>();
  return read.filter(({ name }) => reached.has(name) || gates.has(name));
}

function gatesOf(states: readonly ReadState[]): ReadonlySet<StateName> {
  const moves = states.flatMap((state) => state.moves);
  return new Set(moves.flatMap((move) => stateOf(move, "verify") ?? []));
}

function aboutOf(
  outline: Outline,
  { outlines, unread }: EnteredWorkflows,
  { budgetMicroUsd: budget }: ExplainSettings,
): readonly string[] {
  const { entry } = outline;
  if (!entry.ok) return [`It cannot run: ${entry.problem.message}`];
  const elsewhere = outlines.flatMap(usedStates);
  const used = [...usedStates(outline), ...elsewhere];
  const prompts = promptsOf(used);
  const others =
    elsewhere.length === 0 ? "" : `, of which ${countsOf(elsewhere)} are in other workflows`;
  const reach = [
    `A run starts at ${stemOf(entry.name)} and can reach ${countsOf(used)}${others}.`,
    ...(unread.length === 0
      ? []
      : [`It can also enter workflows that are known only at run time: ${listed(unread)}.`]),
  ];
  if (prompts.length === 0 && unread.length === 0) {
    return [...reach, "It costs nothing: it reaches no prompt."];
  }
  const own = unread.length === 0 ? totalBudget(prompts) : null;
  const least = own === null || (budget !== null && budget < own) ? budget : own;
  if (least === null) return [...reach, "Its cost is not limited: runs have no budget here."];
  const why = least === own ? "the total budget of its prompts" : "the budget of a run";
  return [...reach, `It costs at most ${formatUsd(least)}, ${why}. --budget sets another limit.`];
}

function promptsOf(states: readonly ReadState[]): readonly PromptFile[] {
  return states.flatMap(({ file }) => (file.kind === "prompt" ? [file] : []));
}

function countsOf(states: readonly ReadState[]): string {
  const prompts = promptsOf(states).length;
  return `${counted(prompts, "prompt")} and ${counted(states.length - prompts, "script")}`;
}

/** Null if a prompt has no budget. */
function totalBudget(prompts: readonly PromptFile[]): MicroUsd | null {
  let sum = 0;
  for (const { budgetMicroUsd } of prompts) {
    if (budgetMicroUsd === null) return null;
    sum += budgetMicroUsd;
  }
  return sum;
}

function explainState(
  state: OutlinedState,
  remembers: readonly string[],
  isGate: boolean,
  levels: readonly Level[],
  settings: ExplainSettings,
): ExplainedState {
  const { name, problem } = state;
  const kind = stateKind(name);
  const invalid = problem === null ? [] : [`It cannot be entered: ${problem.message}`];
  if (!state.ok) return { state: name, kind, said: { ...NOTHING, runs: invalid } };
  const { file } = state;
  const leads = isGate ? [] : describeMoves(state, levels);
  const said =
    file.kind === "prompt"
      ? {
          runs: [...invalid, modelOf(file, settings)],
          may: [
            ...explainPermissions(file, settings),
            ...sandboxesOf(file, settings),
            ...environmentOf(file, settings),
          ],
          bounds: promptLimits(file, settings),
          costs: [costOf(file, settings)],
        }
      : {
          runs: [...invalid, runsIn(file, settings)],
          may: scriptPermissions(file, settings),
          bounds: scriptLimits(file, settings),
          costs: ["Nothing."],
        };
  return { state: name, kind, said: { ...said, remembers, "leads to": leads } };
}

const NOTHING: ExplainedState["said"] = {
  ...{ runs: [], may: [], remembers: [], "leads to": [], bounds: [], costs: [] },
};

function runsIn({ container }: ScriptFile, settings: ExplainSettings): string {
  const image = settings.container ?? container;
  return image === null ? "A script on this machine." : `A script in a container of ${image}.`;
}

/** One line for all entries with the same effect on the conversation. */
function describeEntries(entries: readonly StateEntry[]): readonly string[] {
  const groups = new Map<string, StateEntry & { readonly all: Set<string> }>();
  for (const entry of entries) {
    const key = `${entry.by} ${entry.session}`;
    const group = groups.get(key) ?? { ...entry, all: new Set() };
    groups.set(key, group);
    group.all.add(entry.from);
  }
  return [...groups.values()].map(
    ({ by, session, all }) => `by ${by} from ${listed([...all])}: ${session}`,
  );
}

/** The effects of a result in this state, on each of its levels. */
function resultEffects(name: StateName, levels: readonly Level[]): readonly string[] {
  return levels.flatMap(({ states, kind, returnsTo }): readonly string[] => {
    if (!states.has(name)) return [];
    if (kind === "main") return ["the end of the agent"];
    const at = returnsTo.size === 0 ? null : listed([...returnsTo].map(stemOf));
    if (kind === "called") return at === null ? [] : [`back to ${at}`];
    return [at === null ? "the end of the worker" : `the end of the worker, reported to ${at}`];
  });
}

const MOST_EFFECTS = 6;

function describeMoves(state: ReadState, levels: readonly Level[]): readonly string[] {
  const { file, name } = state;
  const lines = shownMoves(state).map(([, move]) => {
    const effects = move.by === "result" ? resultEffects(name, levels) : [];
    if (effects.length === 0) return describeMove(move, name);
    const more = effects.length > MOST_EFFECTS ? ", or elsewhere" : "";
    return `${describeMove(move, name)}; here: ${effects.slice(0, MOST_EFFECTS).join(", or ")}${more}`;
  });
  const ways = [...new Set(lines)];
  if (file.kind === "script") {
    const { schema } = file;
    const checked = schema === undefined ? [] : [`A result must match ${schema.name}.`];
    return [...(ways.length > 0 ? ways : ["No transition found in its text."]), ...checked];
  }
  if (file.rules === null) {
    const more = ways.length > 0 ? " Its text mentions:" : "";
    return [`It has no rules: any tag is allowed.${more}`, ...ways];
  }
  const isImplied = impliedTransition(file.rules) !== null;
  return isImplied ? [...ways, "This is the only transition, and needs no tag."] : ways;
}

function promptLimits(
  { timeoutMs, maxVisits, maxTurns, context }: PromptFile,
  settings: ExplainSettings,
): readonly string[] {
  const turns = maxTurns ?? settings.maxTurns;
  return [
    ...(turns === null ? [] : [`${counted(turns, "turn")} of the model in one call.`]),
    ...(timeoutMs === null ? [] : [`${formatDuration(timeoutMs)} for all attempts together.`]),
    ...visitLimit(maxVisits),
    ...(context === null
      ? []
      : [`If the conversation is too large, ${context.target} runs instead.`]),
  ];
}

function scriptLimits(file: ScriptFile, { scriptTimeoutMs }: ExplainSettings): readonly string[] {
  const limit = file.timeoutMs ?? scriptTimeoutMs;
  return [
    ...(limit === 0 ? [] : [`${formatDuration(limit)} for each attempt.`]),
    ...(file.retries === 0 ? [] : [`${counted(file.retries, "retry", "retries")} after failures.`]),
    ...visitLimit(file.maxVisits),
  ];
}

function visitLimit(maxVisits: number | null): readonly string[] {
  return maxVisits === null ? [] : [`${counted(maxVisits, "visit")} per run, then it pauses.`];
}

function costOf(
  { budgetMicroUsd: own }: PromptFile,
  { budgetMicroUsd: run }: ExplainSettings,
): string {
  if (own !== null) return `At most ${formatUsd(own)} for all visits.`;
  return run === null ? "Not limited." : `The rest of the run's ${formatUsd(run)}.`;
}
