import { DEFAULT_COST_USD } from "../../clients/simulation/script.ts";
import { toUsd } from "../../language/basics/money.ts";
import { readReply } from "../../language/protocol/reply.ts";
import type { ScanResult } from "../../language/protocol/scan/element.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { Answer } from "../../machine/model/answer.ts";
import { stepName } from "../../machine/model/gate.ts";
import type { StepOutcome } from "../../machine/model/outcome.ts";
import { findAgent } from "../../machine/model/roster.ts";
import type { RunSettings, RunState } from "../../machine/model/run-state.ts";
import type { NewRunOptions } from "../../machine/moves/new-run.ts";
import { questionOf } from "../../machine/moves/question.ts";
import { startsProcess } from "../../machine/record/journal.ts";
import type { Recording } from "../../machine/record/recording.ts";
import { type States, shortName } from "./given.ts";
import { type Happened, type Observed, RunRecorder, wholeExpectation } from "./happened.ts";
import { printYaml } from "./print-yaml.ts";

/** A recorded run as the result of a test; null without any record. */
export function happenedIn({ moments }: Recording): Happened | null {
  const recorder = new RunRecorder(() => undefined);
  for (const { record, inputs, run } of moments) {
    recorder.append(record);
    for (const { events } of inputs) for (const event of events) recorder.notify(event, run);
  }
  const run = moments.at(-1)?.run;
  if (run === undefined) return null;
  const { attempts, log } = recorder;
  return { run, attempts, log, prompts: new Map(), missing: [], endless: false };
}

export interface RecordedTest {
  readonly initial: NewRunOptions;
  readonly recording: Recording;
  readonly observed: Observed;
  readonly states: States;
  /** Null: the first state of the workflow. */
  readonly start: StateName | null;
  /** By configuration keys. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The last message of each process, as far as it is known. */
  readonly said: ReadonlyMap<number, string>;
}

/**
 * The text of a test file that reproduces a recorded run. Includes the text of replies if it was
 * recorded, otherwise only their tags.
 */
export function recordTest(recorded: RecordedTest): string {
  const { recording, observed, states, start, settings, said } = recorded;
  const { id, input, attributes } = recorded.initial;
  const given = givenBy(recording, said);
  const list = [...given].map(([state, items]) => [shortName(state, states), items] as const);
  const test = {
    ...(start !== null && { start: shortName(start, states) }),
    ...(input !== null && { input }),
    ...(Object.keys(attributes).length > 0 && { vars: attributes }),
    ...(Object.keys(settings).length > 0 && { settings }),
    states: Object.fromEntries(list),
    expect: wholeExpectation(observed),
  };
  const head = `# The run ${id}, recorded by raymond test --from-run.\n`;
  return head + printYaml({ tests: { [`the path of ${id}`]: test } });
}

/** The settings that influence the path of a run. */
export function relevantSettings(
  recording: Recording,
  settings: RunSettings,
  usual: RunSettings,
): Readonly<Record<string, unknown>> {
  const longest = Math.max(0, ...endsOf(recording).map(({ outcome }) => outcome.durationMs));
  const { budgetMicroUsd: budget, maxParallel, maxAgents, keepGoing, maxSteps } = settings;
  // Several processes have waited or resumed: a test is one process that waits.
  const wait = settings.wait || recording.lives > 1;
  return {
    ...(budget !== usual.budgetMicroUsd && { budget: budget === null ? "none" : toUsd(budget) }),
    ...(maxParallel !== usual.maxParallel && { max_parallel: maxParallel }),
    ...(maxAgents !== usual.maxAgents && { max_agents: maxAgents }),
    ...(keepGoing !== usual.keepGoing && { keep_going: keepGoing }),
    ...(wait !== usual.wait && { wait }),
    ...(maxSteps !== usual.maxSteps && maxSteps !== null && { max_steps: maxSteps }),
    // A real client that works for a long time is not silent.
    ...(isCrowded(recording) && longest >= usual.timeoutMs && { timeout: 0 }),
  };
}

type Item = Readonly<Record<string, unknown>>;

interface RecordedEnd {
  readonly agent: AgentId;
  readonly state: StateName;
  readonly process: number;
  readonly outcome: StepOutcome;
  readonly costUsd: number;
  /** The answer to its question; null: none. */
  readonly answer: string | null;
}

/** Items by state, in the order of the calls. */
function givenBy(
  recording: Recording,
  said: ReadonlyMap<number, string>,
): ReadonlyMap<StateName, readonly Item[]> {
  const given = new Map<StateName, Item[]>();
  const timed = isCrowded(recording);
  const full = isHandedOver(recording);
  for (const end of endsOf(recording).toSorted((a, b) => a.process - b.process)) {
    const { state, outcome, process, answer } = end;
    const ms = timed ? Math.round(outcome.durationMs) : 0;
    const context = full && outcome.kind === "output" ? outcome.spend.context : null;
    const item = {
      ...itemOf(end, said.get(process) ?? null),
      ...(answer !== null && { answer }),
      ...(context !== null && { context: context.tokens }),
      ...(outcome.durationMs >= 1 && ms >= 1 && { delay: `${String(ms)}ms` }),
    };
    given.set(state, joined(given.get(state) ?? [], item));
  }
  return given;
}

/** Equal consecutive items become one item with a count. */
function joined(items: readonly Item[], item: Item): Item[] {
  const { times = 1, ...last } = items.at(-1) ?? {};
  if (JSON.stringify(last) !== JSON.stringify(item)) return [...items, item];
  return [...items.slice(0, -1), { ...item, times: Number(times) + 1 }];
}

/** With several agents, the order of their steps matters. */
function isCrowded({ moments }: Recording): boolean {
  return moments.some(({ run }) => run.agents.length > 1);
}

/** After a handover, the size of conversations matters. */
function isHandedOver({ moments }: Recording): boolean {
  return moments.some(({ inputs }) =>
    inputs.some(({ input }) => input.type === "ended" && input.decision.kind === "hand-over"),
  );
}

/** Ended attempts, except those that a resume has repeated or that did not start. */
function endsOf({ moments, lives }: Recording): readonly RecordedEnd[] {
  let life = 0;
  const ends: RecordedEnd[] = [];
  for (const { record, inputs } of moments) {
    if (startsProcess(record)) life += 1;
    for (const { input, before, events } of inputs) {
      if (input.type === "answered") answer(ends, before, input);
      if (input.type !== "ended") continue;
      const { decision, outcome, process } = input;
      const agent = findAgent(before, input.agent);
      const isRepeated = decision.kind === "fail" && life < lives && !agent.reports;
      const isStarted = decision.kind !== "halt" && decision.kind !== "hand-over";
      if (isRepeated || !isStarted || decision.kind === "cancelled") continue;
      const ended = events.find((event) => event.type === "step.ended");
      const costUsd = toUsd(ended?.costMicroUsd ?? 0);
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

/** The answer belongs to the attempt that asked: the last of its agent in that state. */
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
        ...(capped && { capped }),
        ...(denials.length > 0 && {
          denied: denials.map(({ tool, input, exact }) => ({ tool, input: exact ?? input })),
        }),
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
  const others = ["cancelled", "lost-session", "denied"];
  return others.includes(kind) ? "deterministic" : kind;
}

function exitOf(code: number | null): number {
  return code === null || code === 0 ? 1 : code;
}

/** The last output of a script, from its failure message. */
function errorsIn(message: string): string {
  return message
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/^ {2}/, ""))
    .join("\n");
}

/** The message if it contains the same tags, else the tags. */
function replyOf(reading: ScanResult, said: string | null): string {
  const same = said !== null && JSON.stringify(readReply(said)) === JSON.stringify(reading);
  const text = textOf(reading);
  if (same) return said;
  return text === "" ? "(no tag)" : text;
}

function textOf({ elements, unclosed }: ScanResult): string {
  const tags = elements.map(({ tag, attributes, content }) => {
    const written = attributes.map(([name, value]) =>
      value.includes('"') ? ` ${name}='${value}'` : ` ${name}="${value}"`,
    );
    return `<${tag}${written.join("")}>${content}</${tag}>`;
  });
  return unclosed === null ? tags.join("\n") : [...tags, `<${unclosed}>`].join("\n");
}
