import type { AgentId } from "../core/machine/agent.ts";
import type { Answer } from "../core/machine/answer.ts";
import { stepName } from "../core/machine/gate.ts";
import { startsLife } from "../core/machine/journal.ts";
import type { Beginning } from "../core/machine/new-run.ts";
import type { StepOutcome } from "../core/machine/outcome.ts";
import { questionOf } from "../core/machine/question.ts";
import type { Recording } from "../core/machine/recording.ts";
import { findAgent } from "../core/machine/roster.ts";
import type { RunSettings, RunState } from "../core/machine/run-state.ts";
import { toUsd } from "../core/money.ts";
import type { Reading } from "../core/protocol/element.ts";
import { readReply } from "../core/protocol/reply.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { DEFAULT_COST_USD } from "../simulation/script.ts";
import { type Happened, Witness } from "./happened.ts";
import { type Observed, wholeExpectation } from "./observed.ts";
import { printYaml } from "./print-yaml.ts";
import { type States, shortName } from "./states.ts";

/** What a run has come to, as if it were that of a test. */
export function happenedIn({ moments }: Recording): Happened | null {
  const witness = new Witness(() => undefined);
  for (const { record, inputs, run } of moments) {
    witness.append(record);
    for (const { events } of inputs) for (const event of events) witness.notify(event, run);
  }
  const run = moments.at(-1)?.run;
  if (run === undefined) return null;
  const { attempts, log } = witness;
  return { run, attempts, log, prompts: new Map(), missing: [], endless: false };
}

/** What a test file is made of that tells a run. */
export interface Told {
  readonly beginning: Beginning;
  readonly recording: Recording;
  readonly observed: Observed;
  readonly states: States;
  /** Null: where the workflow begins anyway. */
  readonly start: StateName | null;
  /** By the keys of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What a model has said last in each process, as far as it is known. */
  readonly said: ReadonlyMap<number, string>;
}

/**
 * The text of a test file whose test goes as a recorded run has gone. What a
 * model has said beside its tags is in it where it is known; else the tags alone.
 */
export function recordTest(told: Told): string {
  const { recording, observed, states, start, settings, said } = told;
  const { id, input, attributes } = told.beginning;
  const given = givenBy(recording, said);
  const list = [...given].map(([state, items]) => [shortName(state, states), items] as const);
  const test = {
    ...(start === null ? {} : { start: shortName(start, states) }),
    ...(input === null ? {} : { input }),
    ...(Object.keys(attributes).length === 0 ? {} : { vars: attributes }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    states: Object.fromEntries(list),
    expect: wholeExpectation(observed),
  };
  const head = `# What the run ${id} has done, recorded by raymond test --from-run.\n`;
  return head + printYaml({ tests: { [`the way of ${id}`]: test } });
}

/** The settings on which it depends where a run goes, by their keys. */
export function tellingSettings(
  recording: Recording,
  settings: RunSettings,
  usual: RunSettings,
): Readonly<Record<string, unknown>> {
  const longest = Math.max(0, ...endsOf(recording).map(({ outcome }) => outcome.durationMs));
  const budget = settings.budgetMicroUsd;
  // One raymond after the other has waited or was resumed: a test is one that waits.
  const wait = settings.wait || recording.lives > 1;
  const all = {
    ...(budget === usual.budgetMicroUsd
      ? {}
      : { budget: budget === null ? "none" : toUsd(budget) }),
    ...(settings.maxParallel === usual.maxParallel ? {} : { max_parallel: settings.maxParallel }),
    ...(settings.maxAgents === usual.maxAgents ? {} : { max_agents: settings.maxAgents }),
    ...(settings.keepGoing === usual.keepGoing ? {} : { keep_going: settings.keepGoing }),
    ...(wait === usual.wait ? {} : { wait }),
    ...(settings.maxSteps === usual.maxSteps || settings.maxSteps === null
      ? {}
      : { max_steps: settings.maxSteps }),
    // A real client that works for long is not silent.
    ...(isCrowded(recording) && longest >= usual.timeoutMs ? { timeout: 0 } : {}),
  };
  return all;
}

type Item = Readonly<Record<string, unknown>>;

interface RecordedEnd {
  readonly agent: AgentId;
  readonly state: StateName;
  readonly process: number;
  readonly outcome: StepOutcome;
  readonly costUsd: number;
  /** What a person has answered to the question that it asks; null: nothing. */
  readonly answer: string | null;
}

/** By state, in the order in which its calls began: so a test takes them. */
function givenBy(
  recording: Recording,
  said: ReadonlyMap<number, string>,
): ReadonlyMap<StateName, readonly Item[]> {
  const given = new Map<StateName, Item[]>();
  const timed = isCrowded(recording);
  const full = isHandedOver(recording);
  for (const end of endsOf(recording).toSorted((a, b) => a.process - b.process)) {
    const { state, outcome, process } = end;
    const delay =
      timed && outcome.durationMs >= 1
        ? { delay: `${String(Math.round(outcome.durationMs))}ms` }
        : {};
    const held = full ? outcome.spend.context : null;
    const context = held === null || outcome.kind !== "output" ? {} : { context: held.tokens };
    const item = {
      ...itemOf(end, said.get(process) ?? null),
      ...(end.answer === null ? {} : { answer: end.answer }),
      ...context,
      ...delay,
    };
    const items = given.get(state) ?? [];
    given.set(state, joined(items, item));
  }
  return given;
}

/** Items that are alike are one, for so many times. */
function joined(items: readonly Item[], item: Item): Item[] {
  const { times = 1, ...last } = items.at(-1) ?? {};
  if (JSON.stringify(last) !== JSON.stringify(item)) return [...items, item];
  return [...items.slice(0, -1), { ...item, times: Number(times) + 1 }];
}

/** With several agents the order of their steps is a part of the way. */
function isCrowded({ moments }: Recording): boolean {
  return moments.some(({ run }) => run.agents.length > 1);
}

/** What conversations hold is a part of the way where one has grown too large. */
function isHandedOver({ moments }: Recording): boolean {
  return moments.some(({ inputs }) =>
    inputs.some(({ input }) => input.type === "ended" && input.decision.kind === "hand-over"),
  );
}

/** The attempts that have ended, but for those that a resume has begun anew, or that have not begun. */
function endsOf({ moments, lives }: Recording): readonly RecordedEnd[] {
  let life = 0;
  const ends: RecordedEnd[] = [];
  for (const { record, inputs } of moments) {
    if (startsLife(record)) life += 1;
    for (const { input, before, events } of inputs) {
      if (input.type === "answered") answer(ends, before, input);
      if (input.type !== "ended") continue;
      const { decision, outcome, process } = input;
      const agent = findAgent(before, input.agent);
      const anew = decision.kind === "fail" && life < lives && !agent.reports;
      const begun = decision.kind !== "halt" && decision.kind !== "hand-over";
      if (anew || !begun || decision.kind === "cancelled") continue;
      const told = events.find((event) => event.type === "step.ended");
      const costUsd = toUsd(told?.costMicroUsd ?? 0);
      ends.push({
        agent: agent.id,
        state: stepName(agent),
        process,
        outcome,
        costUsd,
        answer: null,
      });
    }
  }
  return ends;
}

/** The answer stands with the attempt that has asked: the last of its agent in that state. */
function answer(ends: RecordedEnd[], before: RunState, { agent, answer: said }: Answer): void {
  const from = questionOf(findAgent(before, agent))?.from;
  const index = ends.findLastIndex((end) => end.agent === agent && end.state === from);
  const end = ends[index];
  if (end !== undefined) ends[index] = { ...end, answer: said };
}

function itemOf({ state, outcome, costUsd }: RecordedEnd, said: string | null): Item {
  const isPrompt = state.endsWith(".md");
  const cost = (usual: number) => (costUsd === usual ? {} : { cost: costUsd });
  switch (outcome.kind) {
    case "output": {
      const { reading, spoke, capped, denials } = outcome;
      if (!isPrompt) return { output: textOf(reading) };
      const text = spoke ? replyOf(reading, said) : "";
      return {
        reply: text,
        ...cost(DEFAULT_COST_USD),
        ...(capped ? { capped } : {}),
        ...(denials.length === 0 ? {} : { denied: denials }),
      };
    }
    case "checked":
      return outcome.problem === null
        ? { exit: 0 }
        : { exit: exitOf(outcome.exitCode), output: outcome.said };
    case "failure":
      return isPrompt
        ? { fail: failOf(outcome.class), message: outcome.message, ...cost(0) }
        : { exit: exitOf(outcome.exitCode), errors: errorsIn(outcome.message) };
  }
}

/** A simulated call fails in fewer ways than a real one. */
function failOf(kind: Extract<StepOutcome, { kind: "failure" }>["class"]): string {
  return kind === "cancelled" || kind === "lost-session" ? "deterministic" : kind;
}

function exitOf(code: number | null): number {
  return code === null || code === 0 ? 1 : code;
}

/** The last words of a script, of which its failure tells. */
function errorsIn(message: string): string {
  return message
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/^ {2}/, ""))
    .join("\n");
}

/** What was said, where it is known to mean the same; else the tags. */
function replyOf(reading: Reading, said: string | null): string {
  const same = said !== null && JSON.stringify(readReply(said)) === JSON.stringify(reading);
  const text = textOf(reading);
  if (same) return said;
  return text === "" ? "(no tag)" : text;
}

function textOf({ elements, unclosed }: Reading): string {
  const tags = elements.map(({ tag, attributes, content }) => {
    const written = attributes.map(([name, value]) =>
      value.includes('"') ? ` ${name}='${value}'` : ` ${name}="${value}"`,
    );
    return `<${tag}${written.join("")}>${content}</${tag}>`;
  });
  return unclosed === null ? tags.join("\n") : [...tags, `<${unclosed}>`].join("\n");
}
