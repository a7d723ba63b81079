import { counted } from "../../language/basics/counted.ts";
import { diffLines } from "../../language/basics/line-diff.ts";
import { formatUsd } from "../../language/basics/money.ts";
import type { Position } from "../../language/basics/place.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { type RunState, type RunStatus, spent } from "../../machine/model/run-state.ts";
import type { Expectation, Expected, ExpectedStep } from "./expectation.ts";
import { type Pattern, type States, shortName } from "./given.ts";
import { type Attempt, type Happened, pathsOf } from "./happened.ts";
import type { Test } from "./test-file.ts";

/** A difference between a test and its run. */
export interface Mismatch {
  /** Position of the expectation, or of the test. */
  readonly at: Position;
  readonly message: string;
  /** A diff, or a text. */
  readonly lines: readonly string[];
}

/** The mismatches of a test; empty if it has passed. `exitCode`: that of raymond for the run. */
export function compare(
  test: Test,
  happened: Happened,
  states: States,
  exitCode: number,
): readonly Mismatch[] {
  const { expect } = test;
  const whole = happened.endless
    ? [endless(test)]
    : [
        ...happened.missing.slice(0, 1).map((message) => ({ at: test.at, message, lines: [] })),
        ...compareEnd(test, happened, exitCode),
      ];
  return [
    ...whole,
    ...comparePaths(expect, happened, states),
    ...compareResults(expect, happened.run),
    ...expect.steps.flatMap((step) => compareStep(step, happened, states) ?? []),
  ];
}

function endless({ at, maxSteps }: Test): Mismatch {
  const message = `The run was stopped after ${counted(maxSteps, "step")}: it does not end, or needs a larger max_steps.`;
  return { at, message, lines: [] };
}

function compareEnd(
  { at, expect: { status, exit, error, cost } }: Test,
  { run, missing }: Happened,
  exitCode: number,
): readonly Mismatch[] {
  const found: Mismatch[] = [];
  const reason = run.stopReason?.message ?? "";
  const differs = (where: Position, message: string, lines = reason.split("\n")) => {
    found.push({ at: where, message, lines: lines.filter((line) => line !== "") });
  };
  const usual: Expected<RunStatus> | null =
    status ?? (exit === null && error === null ? { value: "completed", at, path: [] } : null);
  if (usual !== null && usual.value !== run.status && (status !== null || missing.length === 0)) {
    differs(usual.at, `Expected status ${usual.value}, but the run ended as ${run.status}.`);
  }
  if (exit !== null && exit.value !== exitCode) {
    differs(
      exit.at,
      `Expected exit code ${String(exit.value)}, but it would be ${String(exitCode)}.`,
    );
  }
  if (error !== null && !error.value.matches(reason)) {
    differs(error.at, `Expected an error that contains ${quote(error.value)}.`);
  }
  if (cost !== null && cost.value !== spent(run)) {
    const [expected, actual] = [cost.value, spent(run)].map(formatUsd);
    differs(cost.at, `Expected cost ${expected ?? ""}, but the run cost ${actual ?? ""}.`, []);
  }
  return found;
}

function comparePaths(
  { paths }: Expectation,
  happened: Happened,
  states: States,
): readonly Mismatch[] {
  const actual = pathsOf(happened);
  return [...paths].flatMap(([agent, { value: expected, at }]): readonly Mismatch[] => {
    const path = actual.get(agent);
    if (path === undefined) {
      const message = `Agent ${agent} does not exist. Agents: ${[...actual.keys()].join(", ")}.`;
      return [{ at, message, lines: [] }];
    }
    if (JSON.stringify(path) === JSON.stringify(expected)) return [];
    const names = (of: readonly StateName[]) => of.map((state) => shortName(state, states));
    const message = `${agent} took another path (- expected, + actual):`;
    return [{ at, message, lines: diffLines(names(expected), names(path)) }];
  });
}

function compareResults({ results }: Expectation, run: RunState): readonly Mismatch[] {
  return [...results].flatMap(([agent, { value, at }]): readonly Mismatch[] => {
    const result = run.results[agent];
    if (result === value) return [];
    if (result === undefined) {
      return [{ at, message: `${agent} has no result.`, lines: [] }];
    }
    const lines = diffLines(value.split("\n"), result.split("\n"));
    return [{ at, message: `The result of ${agent} differs (- expected, + actual):`, lines }];
  });
}

/** All conditions must hold for the same attempt. */
function compareStep(step: ExpectedStep, happened: Happened, states: States): Mismatch | null {
  const candidates = candidatesFor(step, happened);
  const name = shortName(step.state, states);
  const of = step.agent === null ? "" : ` by ${step.agent}`;
  const which = `${name}${of}${step.visit === null ? "" : `, visit ${String(step.visit)}`}`;
  if (candidates.length === 0) {
    return { at: step.at, message: `The run has no step in ${which}.`, lines: [] };
  }
  const attempts = candidates.map((attempt) => {
    const prompt = happened.prompts.get(attempt.process);
    return { prompt, problems: problemsOf(step, attempt, prompt ?? "") };
  });
  const [closest] = attempts.toSorted((a, b) => a.problems.length - b.problems.length);
  if (closest === undefined || closest.problems.length === 0) return null;
  const { prompt, problems } = closest;
  const showsPrompt = prompt !== undefined && step.contains.length + step.lacks.length > 0;
  return {
    at: step.at,
    message: `The step in ${which} differs: ${problems.join("; ")}.`,
    lines: showsPrompt ? ["prompt:", ...excerptOf(prompt)] : [],
  };
}

function candidatesFor(
  { state, agent, visit }: ExpectedStep,
  { attempts }: Happened,
): readonly Attempt[] {
  const inState = attempts.filter(
    (one) => one.state === state && (agent === null || one.agent === agent),
  );
  if (visit === null) return inState;
  if (agent === null) return inState.filter((one) => one.visit === visit);
  const own = [...new Set(inState.map((one) => one.visit))];
  return inState.filter((one) => one.visit === own[visit - 1]);
}

function problemsOf(step: ExpectedStep, attempt: Attempt, prompt: string): readonly string[] {
  const { contains, lacks, session, depth } = step;
  return [
    ...contains
      .filter((one) => !one.matches(prompt))
      .map((one) => `its prompt does not contain ${quote(one)}`),
    ...lacks.filter((one) => one.matches(prompt)).map((one) => `its prompt contains ${quote(one)}`),
    ...(session === null || session === attempt.session
      ? []
      : [`its session is ${attempt.session ?? "none"}, not ${session}`]),
    ...(depth === null || depth === attempt.depth
      ? []
      : [`its stack depth is ${String(attempt.depth)}, not ${String(depth)}`]),
  ];
}

function quote({ written }: Pattern): string {
  return /^\/.+\/[imsu]*$/s.test(written) ? written : JSON.stringify(written);
}

const SHOWN_LINES = 12;

function excerptOf(prompt: string): readonly string[] {
  const lines = prompt.trimEnd().split("\n");
  const hidden = lines.length - SHOWN_LINES;
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `| ${line.slice(0, 200)}`);
  return hidden > 0 ? [...shown, `| … ${String(hidden)} more lines`] : shown;
}
