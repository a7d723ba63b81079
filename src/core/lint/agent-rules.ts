import type { ReadState } from "../outline/outline.ts";
import type { StateName } from "../protocol/transition.ts";
import { isFork, saysNothing } from "./flow.ts";
import type { LintRule } from "./lint-rule.ts";
import type { Study } from "./study.ts";

/** Of forks and joins, and of questions. */
export const AGENT_RULES: readonly LintRule[] = [
  {
    id: "RAY501",
    severity: "note",
    title: "a fork that nobody joins",
    check: (study) =>
      reachedStates(study).flatMap((state) => {
        const moves = study.movesOf(state);
        const fork = moves.find(isFork);
        if (!study.isWhole || fork === undefined || saysNothing(moves) || comesToJoin(state, study))
          return [];
        const message = `Nobody joins the workers of this fork, so what they give by <result> is read by nobody.`;
        const hint =
          "Lead on to a <join>, or let their last state write what they found to a file.";
        return [{ source: state.source, at: fork.at, message, hint }];
      }),
  },
  {
    id: "RAY502",
    severity: "warning",
    title: "a join that can see no fork",
    check: (study) => {
      if (!study.isWhole) return [];
      const forking = reachedStates(study).filter((state) => study.movesOf(state).some(isFork));
      const seen = new Set(forking.flatMap(({ name }) => [name, ...study.flow.beyond(name)]));
      return reachedStates(study).flatMap((state) => {
        const join = study.movesOf(state).find(({ by }) => by === "join");
        if (join === undefined || seen.has(state.name)) return [];
        const message = `No agent that comes here has forked, so this join has nobody to wait for.`;
        const hint = "Let the same agent fork before it; a worker's forks are not its parent's.";
        return [{ source: state.source, at: join.at, message, hint }];
      });
    },
  },
  {
    id: "RAY503",
    severity: "warning",
    title: "a fork that does not say where to go on",
    check: (study) =>
      study.states.flatMap((state) => {
        const moves = study.movesOf(state);
        const forks = moves.filter(isFork);
        const [fork] = forks;
        if (fork === undefined || !saysNothing(moves)) return [];
        // Where a rule has no next, the prompt may.
        const said = [...forks, ...state.moves.filter((move) => move.by === fork.by)];
        if (said.some((move) => move.destinations.some(({ role }) => role === "next"))) return [];
        const message = `This <${fork.by}> has no next, and no other tag here says where its own agent goes on.`;
        const hint = 'Write next="STATE" on it, or one more tag beside it.';
        return [{ source: state.source, at: fork.at, message, hint }];
      }),
  },
  {
    id: "RAY504",
    severity: "note",
    title: "a question without an end, in a workflow that waits for times",
    check: (study) => {
      const moves = reachedStates(study).map((state) => [state, study.movesOf(state)] as const);
      const isScheduled = moves.some(([, own]) => own.some(({ values }) => "delay" in values));
      if (!isScheduled) return [];
      return moves.flatMap(([{ source }, own]) =>
        own
          .filter(({ by, values }) => by === "ask" && !("timeout" in values))
          .map(({ at }) => ({
            source,
            at,
            message:
              "This question waits for a person for ever, in a workflow that else goes on by itself.",
            hint: "Give it a timeout and a timeout_next, where the night goes on without an answer.",
          })),
      );
    },
  },
];

function reachedStates({ states, reached }: Study): readonly ReadState[] {
  return states.filter(({ name }) => reached.has(name));
}

/** Whether the agent that forks here comes to a join, here too. */
function comesToJoin({ name }: ReadState, study: Study): boolean {
  const around = new Set<StateName>([name, ...study.flow.beyond(name)]);
  return study.states.some(
    (state) => around.has(state.name) && study.movesOf(state).some(({ by }) => by === "join"),
  );
}
