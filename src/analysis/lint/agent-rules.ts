import type { ReadState } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { isFork } from "../moves.ts";
import { hasNoContinuation } from "./flow.ts";
import type { LintContext, LintRule } from "./lint-context.ts";

export const AGENT_RULES: readonly LintRule[] = [
  {
    id: "RAY501",
    severity: "note",
    title: "fork without a join",
    check: (context) =>
      reachedStates(context).flatMap((state) => {
        const moves = context.movesOf(state);
        const fork = moves.find(isFork);
        if (
          !context.isComplete ||
          fork === undefined ||
          hasNoContinuation(moves) ||
          comesToJoin(state, context)
        )
          return [];
        const message = "No join follows this fork, so the results of its workers are discarded.";
        const hint = "Continue to a <join>, or let the workers write their results to files.";
        return [{ source: state.source, at: fork.at, message, hint }];
      }),
  },
  {
    id: "RAY502",
    severity: "warning",
    title: "join without a fork",
    check: (context) => {
      if (!context.isComplete) return [];
      const forking = reachedStates(context).filter((state) => context.movesOf(state).some(isFork));
      const seen = new Set(forking.flatMap(({ name }) => [name, ...context.flow.beyond(name)]));
      return reachedStates(context).flatMap((state) => {
        const join = context.movesOf(state).find(({ by }) => by === "join");
        if (join === undefined || seen.has(state.name)) return [];
        const message =
          "No agent that reaches this join has forked, so there are no workers to wait for.";
        const hint =
          "Fork in the same agent before the join. Forks of a worker do not count for its parent.";
        return [{ source: state.source, at: join.at, message, hint }];
      });
    },
  },
  {
    id: "RAY503",
    severity: "warning",
    title: "fork without a next state",
    check: (context) =>
      context.states.flatMap((state) => {
        const moves = context.movesOf(state);
        const forks = moves.filter(isFork);
        const [fork] = forks;
        if (fork === undefined || !hasNoContinuation(moves)) return [];
        // The prompt may name the next state that a rule leaves open.
        const said = [...forks, ...state.moves.filter((move) => move.by === fork.by)];
        if (said.some((move) => move.destinations.some(({ role }) => role === "next"))) return [];
        const message = `<${fork.by}> has no next attribute, and no other tag of this state names the next state of the agent.`;
        const hint = 'Add next="STATE", or another tag such as <goto>STATE</goto>.';
        return [{ source: state.source, at: fork.at, message, hint }];
      }),
  },
  {
    id: "RAY504",
    severity: "note",
    title: "question without a timeout in a scheduled workflow",
    check: (context) => {
      const moves = reachedStates(context).map((state) => [state, context.movesOf(state)] as const);
      const isScheduled = moves.some(([, own]) => own.some(({ values }) => "delay" in values));
      if (!isScheduled) return [];
      return moves.flatMap(([{ source }, own]) =>
        own
          .filter(({ by, values }) => by === "ask" && !("timeout" in values))
          .map(({ at }) => ({
            source,
            at,
            message:
              "This question waits indefinitely for a person, in a workflow that otherwise runs unattended.",
            hint: "Add timeout and timeout_next to continue without an answer.",
          })),
      );
    },
  },
];

function reachedStates({ states, reached }: LintContext): readonly ReadState[] {
  return states.filter(({ name }) => reached.has(name));
}

/** Whether the agent that forks in this state reaches a join. */
function comesToJoin({ name }: ReadState, context: LintContext): boolean {
  const around = new Set<StateName>([name, ...context.flow.beyond(name)]);
  return context.states.some(
    (state) => around.has(state.name) && context.movesOf(state).some(({ by }) => by === "join"),
  );
}
