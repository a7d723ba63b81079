import { fullName } from "../../src/language/protocol/address.ts";
import { nameOfStep, type Step } from "../../src/machine/decide/step.ts";
import { runningOf } from "../../src/machine/model/activity.ts";
import type { Agent } from "../../src/machine/model/agent.ts";
import type { Answer } from "../../src/machine/model/answer.ts";
import { inFlight } from "../../src/machine/model/roster.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import type { Question } from "../../src/machine/moves/question.ts";
import type { Attempt } from "./attempt.ts";
import { entriesOf, isEnough } from "./entries.ts";
import type { Fate } from "./fault-plan.ts";
import type { Moment, Past } from "./moment.ts";
import { HOME, LAUNCH, type Program, programStart, respond, WINDOW } from "./program.ts";
import { interpret } from "./reference.ts";

/** What a run must come to, by the reference, and what has come of it so far. */
export class Oracle {
  readonly program: Program;
  /** As far as it is known how joins and failures have gone. */
  past: ReadonlyMap<string, readonly Past[]>;
  readonly attempts = new Map<number, Attempt>();
  /** Agents that continued without a lost conversation, as the user allowed. */
  readonly forgetful = new Set<string>();
  /** Steps that are over, by agent. */
  readonly moved = new Map<string, number>();
  /** Conversations with the prompt of an unfinished step, which continues there. */
  readonly held = new Map<string, string>();
  readonly living = new Set<string>(["main"]);
  readonly results = new Map<string, string>();
  /** How often each state was entered, a stop at its `max_visits` granting as many again. */
  readonly visits = new Map<string, number>();
  readonly #visited = new Set<string>();
  /** Started visits. */
  readonly #started = new Map<string, number>();
  readonly #calls = new Set<string>();
  readonly turns = {
    joined: new Map<string, { readonly taken: readonly string[]; readonly late: boolean }>(),
    answered: new Map<string, string | null>(),
    failed: new Map<string, object>(),
    handedOver: new Set<string>(),
  };
  /** The wall clock was set back. */
  setBack = false;
  /** Delays were ended: steps may start earlier. */
  woken = false;
  /** A budget, micro-dollars, that was exceeded by the spend including reports of steps in flight. */
  usedUp: number | null = null;
  /** By coding agent, the last process that began before its usage limit was met. */
  readonly limitedAt = new Map<string, number>();
  /** Of all attempts that were recorded, and of what was saved of the others. */
  tokens = 0;
  cost = 0;
  estimate = 0;
  /** Something has died without a word: money is only bounded from now on. */
  clean = true;
  broken: string | null = null;

  constructor(program: Program) {
    this.program = program;
    this.past = this.#interpret();
  }

  #interpret(): ReadonlyMap<string, readonly Past[]> {
    const { program, turns } = this;
    const output = (moment: Moment) => respond(program, moment);
    return interpret(
      program.states,
      { launch: LAUNCH, home: HOME },
      programStart(program),
      output,
      turns,
    );
  }

  /** Remembers the first law that does not hold. */
  hold(law: boolean, broken: () => string): void {
    if (!law) this.broken ??= broken();
  }

  /** What the reference knows of the step that an agent is to do now. */
  moment(agent: string): Past {
    const n = this.moved.get(agent) ?? 0;
    const found = this.past.get(agent)?.[n];
    if (found === undefined) throw new Error(`the reference has no step ${agent}#${String(n)}`);
    return found;
  }

  steps(): number {
    const over = [...this.moved.values()].reduce((sum, n) => sum + n, 0);
    return over - this.turns.failed.size;
  }

  begin(step: Step, fate: Fate): void {
    const { process, agent, file } = step;
    const state = nameOfStep(step);
    const { n } = this.moment(agent.id);
    const all = [...this.attempts.values()];
    const same = all.filter((each) => each.agent === agent.id && each.n === n);
    this.hold(!this.attempts.has(process), () => `process ${String(process)} was started twice`);
    this.hold(
      step.gated !== null || step.attempt > same.filter(({ gate }) => !gate).length,
      () => `${agent.id}#${String(n)} was started before, and has attempt ${String(step.attempt)}`,
    );
    // One that was saved as started, and died before it began, has used up its visit by then.
    if (step.attempt === 1 && step.gated === null) {
      const starts = (this.#started.get(state) ?? 0) + 1;
      this.#started.set(state, starts);
      const most = file.maxVisits ?? Infinity;
      this.hold(starts <= most, () => `${state} was started ${String(starts)} times`);
    }
    const rest = { ended: false, moves: false, tokens: 0, mumbled: false, held: null, cost: null };
    const call = runningOf(agent)?.call ?? null;
    this.attempts.set(process, {
      ...{ process, agent: agent.id, n, state, fate, call, gate: step.gated !== null },
      ...rest,
    });
  }

  end(process: number, how: Pick<Attempt, "moves" | "tokens" | "mumbled" | "held" | "cost">): void {
    const attempt = this.attempts.get(process);
    if (attempt === undefined) throw new Error(`no process ${String(process)}`);
    this.attempts.set(process, { ...attempt, ...how, ended: true });
  }

  /** A save has become true: what no longer flies was recorded. */
  record(before: RunState, after: RunState): void {
    for (const agent of before.agents) {
      const { id } = agent;
      const state = fullName(agent);
      const running = runningOf(agent);
      const now = after.agents.find((other) => other.id === id);
      if (running === null) continue;
      if (now !== undefined && runningOf(now)?.process === running.process) continue;
      const attempt = this.attempts.get(running.process);
      if (attempt !== undefined) {
        this.#record(attempt);
        if (attempt.moves) continue;
        if (now === undefined) this.#fail(attempt, after);
        else this.#count(attempt, agent, now);
        continue;
      }
      const file = this.program.states.find(({ name }) => name === state);
      const limited = /max_visits|budget|max_context/.test(file?.text ?? "");
      this.hold(limited, () => `${id} was recorded, and never executed`);
    }
  }

  /** Continues the step in the conversation with its prompt, with its used-up limits. */
  #count({ agent: id, gate, fate, held, mumbled }: Attempt, before: Agent, now: Agent): void {
    const failed = now.activity.type === "failed";
    if (gate) {
      this.hold(
        failed || now.sentBack !== null || before.gate === now.gate,
        () => `${id} was sent back, and it was not counted`,
      );
      return;
    }
    if (failed || fate.end === "lost" || fate.end === "refused") this.held.delete(id);
    else if (held !== null) this.held.set(id, held);
    const reminded = now.reminders - before.reminders + now.retries - before.retries;
    this.hold(failed || reminded >= 0, () => `${id} has forgotten what it was reminded of`);
    this.hold(
      failed || !mumbled || reminded === 1,
      () => `${id} was reminded, and it was not counted`,
    );
  }

  #record(attempt: Attempt): void {
    const { agent, state, call, process } = attempt;
    this.hold(attempt.ended, () => `process ${String(process)} was recorded before it ended`);
    this.tokens += attempt.tokens;
    this.cost += attempt.cost ?? 0;
    this.estimate += attempt.cost === null ? 3 * attempt.tokens : 0;
    if (!attempt.moves) return;
    const key = `${state} ${String(call)}`;
    this.hold(call === null || !this.#calls.has(key), () => `call ${key} was made twice`);
    this.#calls.add(key);
    const { n, workers, result } = this.moment(agent);
    this.hold(attempt.n === n, () => `${agent}#${String(attempt.n)} was recorded as #${String(n)}`);
    this.moved.set(agent, n + 1);
    this.held.delete(agent);
    for (const worker of workers) this.living.add(worker);
    if (result === null) return;
    this.living.delete(agent);
    this.results.set(agent, result);
  }

  /** A worker has failed permanently, which is reported to its parent. */
  #fail({ agent, n, fate }: Attempt, after: RunState): void {
    const parent = after.agents.find(({ id }) => id === parentOf(agent));
    const known = parent?.forked.find((worker) => worker.agent === agent)?.end;
    const handed = entriesOf(parent?.pendingResult ?? null).find((one) => one.agent === agent);
    const error = (known?.ok === false ? known.error : handed?.error) ?? { state: "no parent" };
    this.hold(fate.end !== "well", () => `${agent} has failed for no reason`);
    this.turns.failed.set(`${agent}#${String(n)}`, error);
    this.moved.set(agent, n + 1);
    this.living.delete(agent);
    this.past = this.#interpret();
  }

  /** A join is over that did not have to wait for all, or whose time has passed. */
  settle(agent: Agent, was: Agent | undefined, before: RunState, now: number): void {
    const { n, state, joins } = this.moment(agent.id);
    const key = `${agent.id}#${String(n)}`;
    if (joins === null || this.turns.joined.has(key)) return;
    if (joins.min === null && joins.late === null) return;
    const entries = entriesOf(agent.pendingResult);
    const taken = entries.filter(({ ok }) => ok !== null).map((one) => one.agent);
    const late = fullName(agent) !== state || !isEnough(entries, joins.min);
    const until = was?.activity.type === "waiting" ? was.activity.until : null;
    this.hold(
      !late || this.setBack || (joins.late !== null && until !== null && until <= now),
      () => `${agent.id} has not waited for ${String(joins.min)} of ${JSON.stringify(entries)}`,
    );
    for (const one of entries) {
      const lives = this.living.has(one.agent);
      // Workers that have ended since were running when the join ended.
      const lived = lives || before.agents.some(({ id }) => id === one.agent);
      const right = one.ok === null ? lived : !lives;
      this.hold(right, () => `${one.agent} is reported as ${String(one.ok)}`);
    }
    this.turns.joined.set(key, { taken, late: fullName(agent) !== state });
    this.past = this.#interpret();
  }

  /** A question is over: by the answer that came first, where that came in time, and by its time else. */
  checkAnswer(agent: string, { until }: Question, first: Answer | null, now: number): void {
    const key = `${agent}#${String(this.moment(agent).n)}`;
    const answer = first !== null && (until === null || first.at <= until) ? first.answer : null;
    const over = this.setBack || (until !== null && until <= now);
    this.hold(answer !== null || over, () => `${agent} continued without an answer`);
    this.turns.answered.set(key, answer);
    this.past = this.#interpret();
  }

  /** An answer in time is rejected only if an earlier one exists. */
  refuse(question: string): void {
    this.hold(this.setBack, () => `${question} was answered in time, and refused`);
  }

  /** The place of a question that is not saved stays free for the next one of its number. */
  close(question: string, saved: boolean): void {
    this.hold(saved, () => `${question} was closed, and it is not saved`);
  }

  /** An agent was led elsewhere, because its conversation is so large. */
  handOver({ id }: Agent): void {
    const { n, state } = this.moment(id);
    const key = `${id}#${String(n)}`;
    this.turns.handedOver.add(key);
    this.moved.set(id, n + 1);
    // Refused is not visited, however often it was started; a grant may have set the count to none.
    if (this.#visited.delete(key)) {
      this.visits.set(state, Math.max(0, (this.visits.get(state) ?? 0) - 1));
    }
    this.past = this.#interpret();
  }

  /** Tokens up to which this state takes a conversation. */
  most(state: string): number {
    const text = this.program.states.find(({ name }) => name === state)?.text ?? "";
    const [, figure = "", unit] = /max_context: (\d+)([k%])/.exec(text) ?? [];
    if (unit === undefined) return Infinity;
    return unit === "k" ? Number(figure) * 1_000 : (Number(figure) / 100) * WINDOW;
  }

  /** A visit is counted once, however often its step is started, and not where it may not start. */
  visit(run: RunState): void {
    for (const agent of run.agents) {
      const { id, starts } = agent;
      const state = fullName(agent);
      const key = `${id}#${String(this.moved.get(id) ?? 0)}`;
      if (starts > 0 === this.#visited.has(key)) continue;
      if (starts > 0) this.#visited.add(key);
      else this.#visited.delete(key);
      this.visits.set(state, (this.visits.get(state) ?? 0) + (starts > 0 ? 1 : -1));
    }
  }

  /** raymond resumes after a stop or crash: steps in flight are lost, except for their saved progress. */
  lose(before: RunState): void {
    const { stopReason } = before;
    if (stopReason?.class === "step-limit" && stopReason.state !== null) {
      this.visits.set(stopReason.state, 0);
      this.#started.set(stopReason.state, 0);
    }
    for (const { id, session, activity } of inFlight(before)) {
      if (activity.accepted && session.id !== null) this.held.set(id, session.id);
      this.clean = false;
      this.tokens += activity.spend?.tokens.input ?? 0;
    }
  }
}

function parentOf(agent: string): string {
  return agent.replace(/_[^_]*$/, "");
}
