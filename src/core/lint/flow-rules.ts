import type { OutlinedMove, ReadState } from "../outline/outline.ts";
import type { StateName } from "../protocol/transition.ts";
import { listed } from "../workflow/quote.ts";
import type { Found } from "./finding.ts";
import { dropsFrames, isByTag, isCall, stateOf } from "./flow.ts";
import type { LintRule } from "./lint-rule.ts";
import type { Study } from "./study.ts";

/** Of where runs can go, and whether they end. */
export const FLOW_RULES: readonly LintRule[] = [
  {
    id: "RAY401",
    severity: "warning",
    title: "states from which no result can be reached",
    check: deadEnds,
  },
  {
    id: "RAY402",
    severity: "warning",
    title: "a called state that never returns",
    check: (study) =>
      callsIn(study).flatMap(({ state, move, callee }) => {
        // Where it could end, a reset keeps it from returning, and that is told there.
        if (study.flow.canReturn(callee) || study.flow.canEnd(callee)) return [];
        const back = stateOf(move, "return");
        const message = `${callee} is called here, and no result comes back from it${back === null ? "" : `: ${back} is never reached`}.`;
        const hint = `Let ${callee}, or a state that it leads to, end by <result>.`;
        return [{ source: state.source, at: move.at, message, hint, word: calleeWord(move) }];
      }),
  },
  {
    id: "RAY403",
    severity: "warning",
    title: "a reset that forgets its caller",
    check: resetsInCallees,
  },
  {
    id: "RAY404",
    severity: "warning",
    title: "a loop of prompts without a bound",
    check: unboundLoops,
  },
  {
    id: "RAY405",
    severity: "warning",
    title: "a state that names no way on",
    check: silentStates,
  },
  {
    id: "RAY406",
    severity: "warning",
    title: "a conversation that is handed over and comes back",
    check: handedBack,
  },
];

interface Call {
  readonly state: ReadState;
  readonly move: OutlinedMove;
  readonly callee: StateName;
}

/** The calls that a run can make of states that are there. */
export function callsIn({ states, reached, movesOf }: Study): readonly Call[] {
  return states
    .filter(({ name }) => reached.has(name))
    .flatMap((state) =>
      movesOf(state).flatMap((move) => {
        const callee = isCall(move) ? stateOf(move, "target") : null;
        return callee === null ? [] : [{ state, move, callee }];
      }),
    );
}

function calleeWord({ destinations }: OutlinedMove): string | null {
  return destinations.find(({ role }) => role === "target")?.written ?? null;
}

/** Of states that only lead to each other one is named: the first. What is called is told where it is. */
function deadEnds(study: Study): readonly Found[] {
  const { states, reached, flow } = study;
  const trapped = states.filter(({ name }) => reached.has(name) && !flow.canEnd(name));
  const called = callsIn(study).filter(({ callee }) => !flow.canEnd(callee));
  const told = new Set(called.flatMap(({ callee }) => [callee, ...flow.beyond(callee)]));
  return trapped.flatMap(({ name, source, file }) => {
    if (told.has(name)) return [];
    const beyond = flow.beyond(name);
    const isLast = [...beyond].every((one) => one === name || flow.beyond(one).has(name));
    if (!isLast) return [];
    const around = [...new Set([name, ...beyond])];
    for (const one of around) told.add(one);
    const message =
      around.length === 1
        ? `From ${name} no <result> can be reached.`
        : `From ${name} no <result> can be reached: it leads to ${listed(around)} and nowhere else.`;
    const at = { line: file.bodyLine, column: file.bodyColumn };
    return [{ source, at, message, hint: "Let one of its states end by <result>." }];
  });
}

function resetsInCallees(study: Study): readonly Found[] {
  const { states, movesOf, flow } = study;
  const byName = new Map(states.map((state) => [state.name, state]));
  const told = new Set<OutlinedMove>();
  return callsIn(study).flatMap(({ callee, state: caller }) => {
    const inside = new Set([callee]);
    const found: Found[] = [];
    // A set may grow while it is walked: what is added is walked as well.
    for (const name of inside) {
      const state = byName.get(name);
      if (state === undefined) continue;
      const moves = movesOf(state);
      const resets = moves.filter(dropsFrames);
      for (const move of resets.filter((one) => !told.has(one))) {
        told.add(move);
        found.push({
          source: state.source,
          at: move.at,
          message: `This reset forgets who has called: ${callee} is called by ${caller.name}, and the result would not come back to it.`,
          hint: 'Write frames="keep" on the reset, or lead on by <goto>.',
        });
      }
      const left = new Set(resets.flatMap((move) => stateOf(move, "target") ?? []));
      for (const next of flow.onward(name)) if (!left.has(next)) inside.add(next);
    }
    return found;
  });
}

/** Of loops that share a state one is told, at the state to which a run comes first. */
function unboundLoops({ states, reached, flow }: Study): readonly Found[] {
  const byName = new Map(states.map((state) => [state.name, state]));
  const free = [...reached].flatMap((name) => {
    const state = byName.get(name);
    if (state?.file.kind !== "prompt") return [];
    return state.file.maxVisits === null && state.file.budgetMicroUsd === null ? [state] : [];
  });
  const names = new Set(free.map(({ name }) => name));
  const onward = (name: StateName) => flow.onward(name).filter((next) => names.has(next));
  const told = new Set<StateName>();
  return free.flatMap(({ name, source, file }) => {
    if (told.has(name)) return [];
    const loop = wayBack(name, onward);
    if (loop === null || loop.some((one) => told.has(one))) return [];
    for (const one of loop) told.add(one);
    const way = [...loop, name].slice(0, 8).join(" → ");
    return [
      {
        source,
        at: { line: file.bodyLine, column: file.bodyColumn },
        message: `Prompts lead round in a loop that nothing bounds: ${way}.`,
        hint: "Give one of these states max_visits or a budget, or let a script in between count.",
      },
    ];
  });
}

/** The shortest way from a state back to it, without its end; null where there is none. */
function wayBack(
  start: StateName,
  onward: (name: StateName) => readonly StateName[],
): readonly StateName[] | null {
  const from = new Map<StateName, StateName>();
  const queue = [start];
  for (const name of queue) {
    for (const next of onward(name)) {
      if (next === start) return pathTo(name, start, from);
      if (from.has(next)) continue;
      from.set(next, name);
      queue.push(next);
    }
  }
  return null;
}

function pathTo(
  end: StateName,
  start: StateName,
  from: ReadonlyMap<StateName, StateName>,
): readonly StateName[] {
  const path = [end];
  for (let at = end; at !== start; ) {
    at = from.get(at) ?? start;
    path.unshift(at);
  }
  return path;
}

/** A visit that is refused is none, so nothing but a bound of the state between ends it. */
function handedBack({ states, reached, movesOf }: Study): readonly Found[] {
  return states.flatMap((state) => {
    const { name, source, file } = state;
    const isBound =
      file.maxVisits !== null || (file.kind === "prompt" && file.budgetMicroUsd !== null);
    if (!reached.has(name) || isBound) return [];
    const refusing = states.filter((one) =>
      one.moves.some((move) => move.by === "on_context" && stateOf(move, "target") === name),
    );
    const names = new Set(refusing.map((one) => one.name));
    return movesOf(state).flatMap((move) => {
      const back = move.by === "goto" ? stateOf(move, "target") : null;
      if (back === null || !names.has(back)) return [];
      const message = `${back} leads here by on_context what is too large for it, and gets the same conversation back: it is led here again, for ever.`;
      const hint =
        "Lead back by <reset>, which begins a fresh conversation, or give this state max_visits.";
      return [{ source, at: move.at, message, hint }];
    });
  });
}

/** A gate says all by its exit code; other scripts may call one that prints the tag, so that is a note. */
function silentStates({ states, reached, entered, misspelled }: Study): readonly Found[] {
  const almost = new Set(misspelled.map(({ state }) => state));
  return states.flatMap(({ name, source, file, moves }) => {
    if (!reached.has(name) || !entered.has(name) || moves.some(isByTag)) return [];
    const isUnread = file.warnings.some(({ rule }) => rule === "RAY108");
    if (almost.has(name) || isUnread || file.body.trim() === "") return [];
    const at = { line: file.bodyLine, column: file.bodyColumn };
    if (file.kind === "script") {
      if (CALLS.test(file.body)) return [];
      const message = `${name} prints no tag that could be found in it, and a script must print one.`;
      const hint =
        "Let it print one on every path, or ignore this where another program prints it.";
      return [{ source, at, severity: "note", message, hint }];
    }
    if (file.rules !== null) return [];
    const message = `${name} has no rules and mentions no tag, so the model cannot know how to end it.`;
    return [
      { source, at, message, hint: "Say in the prompt which tag ends it, or declare rules." },
    ];
  });
}

/** What of a script shows that another file or interpreter prints what it does not. */
const CALLS =
  /RAYMOND_STATE_DIR\}?\/|\b(?:powershell|python\d*|node|perl|ruby|source|exec|call)\b|(?:^|[;&|]\s*)\.{1,2}[ /]/im;
