import { counted } from "../../language/basics/counted.ts";
import { diffLines } from "../../language/basics/line-diff.ts";
import { formatUsd } from "../../language/basics/money.ts";
import type { Position } from "../../language/basics/place.ts";
import type { RunState, RunStatus } from "../../machine/run-state.ts";
import { spent } from "../../machine/run-state.ts";
import type { Expectation, Expected, ExpectedStep } from "./expectation.ts";
import type { Pattern } from "./given.ts";
import { type Attempt, type Happened, pathsOf } from "./happened.ts";
import { type States, shortName } from "./states.ts";
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
  const message = `The run was broken off after ${counted(maxSteps, "step")}: it does not end, or needs a larger max_steps.`;
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
    differs(usual.at, `The run has ended as ${run.status}, and not as ${usual.value}.`);
  }
  if (exit !== null && exit.value !== exitCode) {
    differs(exit.at, `The exit code would be ${String(exitCode)}, and not ${String(exit.value)}.`);
  }
  if (error !== null && !error.value.matches(reason)) {
    differs(error.at, `The run has not ended with an error that holds ${quote(error.value)}.`);
  }
  if (cost !== null && cost.value !== spent(run)) {
    const words = `The run has cost ${formatUsd(spent(run))}, and not ${formatUsd(cost.value)}.`;
    differs(cost.at, words, []);
  }
  return found;
}

function comparePaths(
  { paths }: Expectation,
  happened: Happened,
  states: States,
): readonly Mismatch[] {
  const taken = pathsOf(happened);
  return [...paths].flatMap(([agent, { value, at }]) => {
    const way = taken.get(agent);
    if (way === undefined) return [noAgent(agent, at, [...taken.keys()])];
    if (JSON.stringify(way) === JSON.stringify(value)) return [];
    const [expected, found] = [value, way].map((path) =>
      path.map((state) => shortName(state, states)),
    );
    const message = `${agent} has taken another path (- expected, + happened):`;
    return [{ at, message, lines: diffLines(expected ?? [], found ?? []) }];
  });
}

function compareResults({ results }: Expectation, run: RunState): readonly Mismatch[] {
  return [...results].flatMap(([agent, { value, at }]): readonly Mismatch[] => {
    const result = run.results[agent];
    if (result === value) return [];
    if (result === undefined) {
      return [{ at, message: `${agent} has ended without a result.`, lines: [] }];
    }
    const lines = diffLines(value.split("\n"), result.split("\n"));
    return [{ at, message: `The result of ${agent} is another (- expected, + happened):`, lines }];
  });
}

function noAgent(agent: string, at: Position, agents: readonly string[]): Mismatch {
  const message = `There was no agent ${agent}. There were: ${agents.join(", ")}.`;
  return { at, message, lines: [] };
}

/** All conditions must hold for the same attempt. */
function compareStep(step: ExpectedStep, happened: Happened, states: States): Mismatch | null {
  const candidates = candidatesFor(step, happened);
  const name = shortName(step.state, states);
  const of = step.agent === null ? "" : ` by ${step.agent}`;
  const which = `${name}${of}${step.visit === null ? "" : `, visit ${String(step.visit)}`}`;
  if (candidates.length === 0) {
    return { at: step.at, message: `There was no step in ${which}.`, lines: [] };
  }
  const judged = candidates.map((attempt) => ({
    attempt,
    lacks: problemsOf(step, attempt, happened.prompts.get(attempt.process) ?? ""),
  }));
  const closest = judged.toSorted((a, b) => a.lacks.length - b.lacks.length)[0];
  if (closest === undefined || closest.lacks.length === 0) return null;
  const prompt = happened.prompts.get(closest.attempt.process);
  const wantsPrompt = step.contains.length + step.lacks.length > 0;
  return {
    at: step.at,
    message: `The step in ${which} is another: ${closest.lacks.join("; ")}.`,
    lines: wantsPrompt && prompt !== undefined ? ["what was sent:", ...excerptOf(prompt)] : [],
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
      .map((one) => `nothing in it holds ${quote(one)}`),
    ...lacks.filter((one) => one.matches(prompt)).map((one) => `it holds ${quote(one)}`),
    ...(session === null || session === attempt.session
      ? []
      : [`its session is ${attempt.session ?? "none"}, and not ${session}`]),
    ...(depth === null || depth === attempt.depth
      ? []
      : [`its stack depth is ${String(attempt.depth)}, and not ${String(depth)}`]),
  ];
}

function quote({ written }: Pattern): string {
  return /^\/.+\/[imsu]*$/s.test(written) ? written : JSON.stringify(written);
}

/** Number of prompt lines that a failing test shows. */
const SHOWN_LINES = 12;

function excerptOf(prompt: string): readonly string[] {
  const lines = prompt.trimEnd().split("\n");
  const hidden = lines.length - SHOWN_LINES;
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `| ${line.slice(0, 200)}`);
  return hidden > 0 ? [...shown, `| … ${String(hidden)} more lines`] : shown;
}
