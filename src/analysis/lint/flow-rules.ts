import type { OutlinedMove, ReadState } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { listed } from "../../language/workflow/quote.ts";
import { destinationAs, dropsFrames, isByTag, isCall, stateOf } from "../moves.ts";
import type { Found } from "./finding.ts";
import type { LintContext, LintRule } from "./lint-context.ts";

export const FLOW_RULES: readonly LintRule[] = [
  {
    id: "RAY401",
    severity: "warning",
    title: "no reachable result",
    check: deadEnds,
  },
  {
    id: "RAY402",
    severity: "warning",
    title: "called state that never returns",
    check: (context) =>
      callsIn(context).flatMap(({ state, move, callee }) => {
        // If the callee can end but not return, RAY403 reports the reset.
        if (context.flow.canReturn(callee) || context.flow.canEnd(callee)) return [];
        const back = stateOf(move, "return");
        const message = `The called state ${callee} never returns a result${back === null ? "" : `, so ${back} is never reached`}.`;
        const hint = `End ${callee}, or a state that follows it, with <result>.`;
        return [
          {
            source: state.source,
            at: move.at,
            message,
            hint,
            word: destinationAs(move, "target")?.written ?? null,
          },
        ];
      }),
  },
  {
    id: "RAY403",
    severity: "warning",
    title: "reset in a called state",
    check: resetsInCallees,
  },
  {
    id: "RAY404",
    severity: "warning",
    title: "unbounded loop of prompts",
    check: unboundLoops,
  },
  {
    id: "RAY405",
    severity: "warning",
    title: "state without a transition",
    check: silentStates,
  },
  {
    id: "RAY406",
    severity: "warning",
    title: "endless context handover",
    check: handedBack,
  },
];

interface Call {
  readonly state: ReadState;
  readonly move: OutlinedMove;
  readonly callee: StateName;
}

/** The calls of existing states that a run can make. */
export function callsIn({ states, reached, movesOf }: LintContext): readonly Call[] {
  return states
    .filter(({ name }) => reached.has(name))
    .flatMap((state) =>
      movesOf(state).flatMap((move) => {
        const callee = isCall(move) ? stateOf(move, "target") : null;
        return callee === null ? [] : [{ state, move, callee }];
      }),
    );
}

/** One finding for each group of states that lead only to each other. RAY402 reports called states. */
function deadEnds(context: LintContext): readonly Found[] {
  const { states, reached, flow } = context;
  const trapped = states.filter(({ name }) => reached.has(name) && !flow.canEnd(name));
  const called = callsIn(context).filter(({ callee }) => !flow.canEnd(callee));
  const reported = new Set(called.flatMap(({ callee }) => [callee, ...flow.beyond(callee)]));
  return trapped.flatMap(({ name, source, file }) => {
    if (reported.has(name)) return [];
    const beyond = flow.beyond(name);
    const isLast = [...beyond].every((one) => one === name || flow.beyond(one).has(name));
    if (!isLast) return [];
    const around = [...new Set([name, ...beyond])];
    for (const one of around) reported.add(one);
    const message =
      around.length === 1
        ? `No <result> can be reached from ${name}.`
        : `No <result> can be reached from ${name}: it leads only to ${listed(around)}.`;
    const at = { line: file.bodyLine, column: file.bodyColumn };
    return [{ source, at, message, hint: "End one of these states with <result>." }];
  });
}

function resetsInCallees(context: LintContext): readonly Found[] {
  const { states, movesOf, flow } = context;
  const byName = new Map(states.map((state) => [state.name, state]));
  const reported = new Set<OutlinedMove>();
  return callsIn(context).flatMap(({ callee, state: caller }) => {
    const inside = new Set([callee]);
    const found: Found[] = [];
    // Iterating over a Set also visits elements added during the iteration.
    for (const name of inside) {
      const state = byName.get(name);
      if (state === undefined) continue;
      const moves = movesOf(state);
      const resets = moves.filter(dropsFrames);
      for (const move of resets.filter((one) => !reported.has(one))) {
        reported.add(move);
        found.push({
          source: state.source,
          at: move.at,
          message: `This reset clears the return stack, but ${callee} was called by ${caller.name} and must return a result to it.`,
          hint: 'Add frames="keep" to the reset, or use <goto>.',
        });
      }
      const left = new Set(resets.flatMap((move) => stateOf(move, "target") ?? []));
      for (const next of flow.onward(name)) if (!left.has(next)) inside.add(next);
    }
    return found;
  });
}

/** One finding for all loops that share a state, at the state that a run reaches first. */
function unboundLoops({ states, reached, flow }: LintContext): readonly Found[] {
  const byName = new Map(states.map((state) => [state.name, state]));
  const free = [...reached].flatMap((name) => {
    const state = byName.get(name);
    if (state?.file.kind !== "prompt") return [];
    return state.file.maxVisits === null && state.file.budgetMicroUsd === null ? [state] : [];
  });
  const names = new Set(free.map(({ name }) => name));
  const onward = (name: StateName) => flow.onward(name).filter((next) => names.has(next));
  const reported = new Set<StateName>();
  return free.flatMap(({ name, source, file }) => {
    if (reported.has(name)) return [];
    const loop = wayBack(name, onward);
    if (loop === null || loop.some((one) => reported.has(one))) return [];
    for (const one of loop) reported.add(one);
    const way = [...loop, name].slice(0, 8).join(" → ");
    return [
      {
        source,
        at: { line: file.bodyLine, column: file.bodyColumn },
        message: `Unbounded loop of prompts: ${way}.`,
        hint: "Add max_visits or budget to one of these states, or a script that counts the rounds.",
      },
    ];
  });
}

/** The shortest path from a state back to itself, without the last state; null if there is none. */
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

/** A refused visit does not count, so only a limit of the state in between ends the loop. */
function handedBack({ states, reached, movesOf }: LintContext): readonly Found[] {
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
      const message = `${back} hands over to this state with on_context when the conversation is too large, and gets the same conversation back: an endless loop.`;
      const hint =
        "Return with <reset>, which starts a fresh conversation, or add max_visits to this state.";
      return [{ source, at: move.at, message, hint }];
    });
  });
}

/** Gates need no tag. Other scripts may call a program that prints the tag: a note only. */
function silentStates({ states, reached, entered, misspelled }: LintContext): readonly Found[] {
  const almost = new Set(misspelled.map(({ state }) => state));
  return states.flatMap(({ name, source, file, moves }) => {
    if (!reached.has(name) || !entered.has(name) || moves.some(isByTag)) return [];
    if (almost.has(name) || file.body.trim() === "") return [];
    const at = { line: file.bodyLine, column: file.bodyColumn };
    if (file.kind === "script") {
      // RAY703 reports another encoding.
      if (CALLS.test(file.body) || file.body.includes("\0")) return [];
      const message = `No tag found in ${name}. A script must print one.`;
      const hint = "Print a tag on every path. Ignore this note if another program prints it.";
      return [{ source, at, severity: "note", message, hint }];
    }
    if (file.rules !== null) return [];
    const message = `${name} has no rules and mentions no tag, so the model cannot know how to end the step.`;
    return [
      { source, at, message, hint: "Name the tag in the prompt, or declare allowed_transitions." },
    ];
  });
}

/** Signs that a script calls another file or interpreter, which may print the tag. */
const CALLS =
  /RAYMOND_STATE_DIR\}?\/|\b(?:powershell|python\d*|node|perl|ruby|source|exec|call)\b|(?:^|[;&|]\s*)\.{1,2}[ /]/im;
