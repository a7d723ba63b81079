import { toUsd } from "../../language/basics/money.ts";
import type { AgentId } from "../../machine/agent.ts";
import { spent } from "../../machine/run-state.ts";
import { type Happened, pathsOf } from "./happened.ts";
import { type States, shortName } from "./states.ts";

/** What has happened, in the words of `expect`. */
export interface Observed {
  readonly path: readonly string[];
  readonly paths: Readonly<Record<AgentId, readonly string[]>>;
  /** Undefined where main has not ended. */
  readonly result: string | undefined;
  readonly results: Readonly<Record<AgentId, string>>;
  readonly status: string;
  readonly exit: number;
  readonly cost: number;
}

/** `exitCode`: what raymond would end with. */
export function observe(happened: Happened, states: States, exitCode: number): Observed {
  const { run } = happened;
  const words = [...pathsOf(happened)].map(
    ([agent, path]) => [agent, path.map((state) => shortName(state, states))] as const,
  );
  const paths = Object.fromEntries(words);
  return {
    path: paths["main"] ?? [],
    paths,
    result: run.results["main"],
    results: run.results,
    status: run.status,
    exit: exitCode,
    cost: toUsd(spent(run)),
  };
}

/** What a test expects that is to hold for all that has happened: no more than it takes. */
export function wholeExpectation({ path, paths, result, results, status, cost }: Observed) {
  const others = <Value>(all: Readonly<Record<AgentId, Value>>) =>
    Object.fromEntries(Object.entries(all).filter(([agent]) => agent !== "main"));
  const given = { paths: others(paths), results: others(results) };
  return {
    path,
    ...(Object.keys(given.paths).length === 0 ? {} : { paths: given.paths }),
    ...(result === undefined ? {} : { result }),
    ...(Object.keys(given.results).length === 0 ? {} : { results: given.results }),
    ...(status === "completed" ? {} : { status }),
    cost,
  };
}
