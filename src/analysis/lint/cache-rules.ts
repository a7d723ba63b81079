import type { OutlinedMove, ReadState } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { PromptFile } from "../../language/workflow/files/state-file.ts";
import { continuedStates, isPromptSent } from "./conversation-moves.ts";
import type { Found } from "./finding.ts";
import type { LintContext } from "./lint-context.ts";

/**
 * Transitions that continue a conversation with another model or other tools. Both are part of each
 * request, so the provider cannot use its cache of the conversation (RAY605 in docs/lint.md).
 */
export function discardedCaches(context: LintContext): readonly Found[] {
  const { states, reached, movesOf } = context;
  const prompts = new Map(
    states.flatMap(({ name, file }) => (file.kind === "prompt" ? [[name, file] as const] : [])),
  );
  const speakers = speakersOf(context);
  return states
    .filter(({ name }) => reached.has(name))
    .flatMap((state) => {
      const reported = new Set<StateName>();
      return movesOf(state).flatMap((move) =>
        continuedStates(move).flatMap((target) => {
          const file = prompts.get(target);
          if (file === undefined || reported.has(target)) return [];
          const change = firstChange(file, carriedBy(state, move, speakers), prompts, context);
          if (change === null) return [];
          reported.add(target);
          return [finding(state, move, target, change)];
        }),
      );
    });
}

interface Change {
  /** The last prompt of the conversation. */
  readonly from: StateName;
  /** The new settings, with those of that prompt. */
  readonly settings: readonly string[];
}

function finding(state: ReadState, move: OutlinedMove, target: StateName, change: Change): Found {
  const settings = change.settings.join(" and ");
  return {
    source: state.source,
    at: move.at,
    word: move.destinations.find((one) => one.state === target)?.written ?? null,
    message: `${target} continues the conversation of ${change.from} with ${settings}, so the provider cannot use its cache of the conversation.`,
    hint: "Start a new conversation with <reset> or <function>, or declare the same model and tools in both states.",
  };
}

function firstChange(
  file: PromptFile,
  speakers: ReadonlySet<StateName>,
  prompts: ReadonlyMap<StateName, PromptFile>,
  { manifest }: LintContext,
): Change | null {
  const defaults = "message" in manifest ? {} : manifest.defaults;
  for (const from of speakers) {
    const before = prompts.get(from);
    if (before === undefined) continue;
    const model = [before, file].map((one) => one.model ?? defaults.model ?? "the default model");
    const tools = [before, file].map((one) => toolsText(one, defaults.tools ?? null));
    const settings = [
      ...(model[0] === model[1]
        ? []
        : [`another model (${model.toReversed().join(" instead of ")})`]),
      ...(tools[0] === tools[1]
        ? []
        : [`other tools (${tools.toReversed().join(" instead of ")})`]),
    ];
    if (settings.length > 0) return { from, settings };
  }
  return null;
}

/** The tools of the request. A client omits a tool that is denied as a whole, without a pattern. */
function toolsText(file: PromptFile, defaults: readonly string[] | null): string {
  const tools = file.tools ?? defaults;
  const denied = (file.disallowedTools ?? []).filter((one) => !one.includes("("));
  if (tools !== null) {
    const left = tools.filter((one) => !denied.includes(one));
    return left.length === 0 ? "none" : listed(left);
  }
  return denied.length === 0 ? "the default tools" : `the default tools without ${listed(denied)}`;
}

function listed(tools: readonly string[]): string {
  return [...new Set(tools)].toSorted().join(", ");
}

/** By state, the prompts that can be the last ones of its conversation when it is entered. */
function speakersOf(context: LintContext): ReadonlyMap<StateName, ReadonlySet<StateName>> {
  const { states, reached, movesOf } = context;
  const byName = new Map(states.map((state) => [state.name, state]));
  const found = new Map<StateName, Set<StateName>>();
  // Scripts pass the conversation on, so their successors are visited again after each change.
  const waiting = states.filter(({ name }) => reached.has(name));
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    for (const move of movesOf(state)) {
      const carried = carriedBy(state, move, found);
      for (const target of continuedStates(move)) {
        const known = found.get(target) ?? new Set();
        const before = known.size;
        for (const one of carried) known.add(one);
        found.set(target, known);
        const next = byName.get(target);
        if (known.size > before && next !== undefined) waiting.push(next);
      }
    }
  }
  return found;
}

/** The last prompts of the conversation that a move passes on. */
function carriedBy(
  { name, file }: ReadState,
  move: OutlinedMove,
  speakers: ReadonlyMap<StateName, ReadonlySet<StateName>>,
): ReadonlySet<StateName> {
  return isPromptSent(file, move) ? new Set([name]) : (speakers.get(name) ?? new Set());
}
