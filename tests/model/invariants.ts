import { isDeepStrictEqual } from "node:util";
import { fullName } from "../../src/language/protocol/address.ts";
import { dueAt, isIdle, runningOf } from "../../src/machine/model/activity.ts";
import type { Agent, Session } from "../../src/machine/model/agent.ts";
import { inFlight } from "../../src/machine/model/roster.ts";
import { type RunState, spent, type Wait } from "../../src/machine/model/run-state.ts";
import { weightedTokens } from "../../src/machine/model/spend.ts";
import type { Totals } from "../../src/machine/model/totals.ts";
import { isDelayed } from "../../src/machine/moves/delay.ts";
import { questionOf } from "../../src/machine/moves/question.ts";
import { parseDocument } from "../../src/storage/codec/parse-document.ts";
import { printRun } from "../../src/storage/codec/print-run.ts";
import { decodeRun } from "../../src/storage/codec/state-document.ts";
import type { Conversations } from "./conversations.ts";
import type { Oracle } from "./oracle.ts";
import type { People } from "./people.ts";
import { LAUNCH } from "./program.ts";
import { isJoining, learnTurns } from "./turns.ts";

/** One save: what was on disk before, and what is there now. */
export interface Save {
  readonly before: RunState;
  readonly after: RunState;
  /** The first of a resume. */
  readonly recovered: boolean;
  /** Of each agent in this life of raymond: the save since which it does nothing. */
  readonly idleSince: Map<string, number>;
  /** Number of this save. */
  readonly number: number;
}

/** Holds a saved run against the oracle, and against the save before it. */
export function inspectSave(
  save: Save,
  oracle: Oracle,
  conversations: Conversations,
  people: People,
): void {
  const { before, after } = save;
  learnTurns(save, oracle, conversations, people);
  agree(save, oracle, conversations);
  oracle.visit(after);
  oracle.hold(
    isDeepStrictEqual(new Map(Object.entries(after.visits)), oracle.visits),
    () => `visits are ${JSON.stringify(after.visits)}, not ${[...oracle.visits].join(" ")}`,
  );
  grow(save, oracle);
  fly(save, oracle);
  queue(save, oracle);
  startAll(save, oracle);
  wake(save, oracle);
  keepDelays(save, oracle);
  if (before.totals !== after.totals) addUp(after, oracle);
  // Looking at every one would take most of the time; what is resumed is looked at too.
  if (save.number % 5 === 0) reread(after, oracle);
}

/** The run as it is read from disk: the same as was written. */
export function reread(run: RunState, oracle: Oracle): RunState {
  const read = decodeRun(parseDocument(printRun(run).text, "state.json"));
  oracle.hold(isDeepStrictEqual(read, run), () => "a save does not read as it was");
  return read;
}

/** The saved agents stand where the reference says; none is lost, and none is there twice. */
function agree({ before, after: run }: Save, oracle: Oracle, conversations: Conversations): void {
  const ids = run.agents.map(({ id }) => id);
  oracle.hold(
    isDeepStrictEqual(ids.toSorted(), [...oracle.living].sort()),
    () => `${ids.join()} live, and not ${[...oracle.living].join()}`,
  );
  if (before.results !== run.results) {
    const results = new Map(Object.entries(run.results));
    oracle.hold(isDeepStrictEqual(results, oracle.results), () => "the results are wrong");
  }
  oracle.hold(run.steps === oracle.steps(), () => `${String(run.steps)} steps are wrong`);
  if (oracle.broken !== null) return;
  const same = new Set(before === run ? [] : before.agents);
  for (const agent of run.agents.filter((each) => !same.has(each))) {
    const want = oracle.moment(agent.id);
    const historyOf = (session: Session) =>
      oracle.forgetful.has(agent.id) ? null : conversations.history(session);
    const known = (history: readonly string[]) => (oracle.forgetful.has(agent.id) ? null : history);
    const joins = isJoining(agent);
    oracle.hold(!joins || want.joins !== null, () => `${agent.id} waits for workers unexpectedly`);
    const is = [
      ...[fullName(agent), agent.cwd ?? LAUNCH, joins ? want.pending : agent.pendingResult],
      { ...agent.attributes },
      agent.stack.map(({ session, workflow, returnTo: state }) => [
        fullName({ workflow, state }),
        historyOf(session),
      ]),
      run.forkCounters[agent.id] ?? 0,
    ];
    const should = [
      ...[want.state, want.cwd, want.pending],
      { ...want.attributes },
      want.stack.map(({ session, state }) => [state, known(session.history)]),
      want.forks,
    ];
    oracle.hold(
      isDeepStrictEqual(is, should),
      () => `${agent.id} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`,
    );
  }
}

/** Counters only grow, what has a reason to stop starts nothing, and what is over says why. */
function grow({ before, after, recovered }: Save, oracle: Oracle): void {
  const pairs: (readonly [name: string, before: number, after: number])[] = [
    ["processes", before.processes, after.processes],
    ["steps", before.steps, after.steps],
    ...sumsGrow("totals", before.totals, after.totals),
  ];
  const living = new Map(after.agents.map(({ id, sums }) => [id, sums]));
  for (const { id, sums } of before.agents) {
    const now = living.get(id);
    if (now !== undefined) pairs.push(...sumsGrow(id, sums, now));
  }
  for (const [name, was, is] of pairs) {
    oracle.hold(is >= was, () => `${name} fell from ${String(was)} to ${String(is)}`);
  }
  const grew = after.processes > before.processes;
  const stopped = after.stopReason !== null || (before.stopReason !== null && !recovered);
  oracle.hold(!grew || !stopped, () => "a stopped run started something");
  const kept = recovered || before.stopReason === null || after.status === "completed";
  oracle.hold(
    kept || isDeepStrictEqual(causeOf(after), causeOf(before)),
    () => "another cause than the first names why it stops",
  );
  const judged = !recovered && after.totals.attempts > before.totals.attempts;
  const poor = spent(after) > (after.settings.budgetMicroUsd ?? Infinity);
  oracle.hold(
    !judged || !poor || after.stopReason !== null || after.agents.length === 0,
    () => "it continues beyond its budget",
  );
  const over = after.status !== "running" && after.status !== "waiting";
  const complete = after.status === "completed";
  oracle.hold(complete === (over && after.agents.length === 0), () => `it is ${after.status}`);
  oracle.hold(!over || complete === (after.stopReason === null), () => "it ended for no reason");
}

/** How much was spent is known only when all has ended. */
function causeOf({ stopReason }: RunState): unknown {
  return stopReason?.class === "budget" ? { ...stopReason, message: "" } : stopReason;
}

function sumsGrow(name: string, before: Totals, after: Totals) {
  return [
    [`attempts of ${name}`, before.attempts, after.attempts],
    [`cost of ${name}`, before.costMicroUsd, after.costMicroUsd],
    [`estimate of ${name}`, before.estimatedMicroUsd, after.estimatedMicroUsd],
    [`tokens of ${name}`, before.tokens.input, after.tokens.input],
  ] as const;
}

/** What may be in flight beside each other, and what may start. */
function fly({ before, after }: Save, oracle: Oracle): void {
  const flying = inFlight(after).map(({ id, session, activity }) => {
    const known = activity.process <= after.processes;
    oracle.hold(known, () => `${id} flies with a process that was never counted`);
    const named = activity.kind === "script" || session.id !== null;
    oracle.hold(named, () => `${id} is in flight without an id of its session`);
    return activity;
  });
  const processes = new Set(flying.map(({ process }) => process));
  oracle.hold(processes.size === flying.length, () => "two agents fly with one process");
  const over = after.status !== "running" && after.status !== "waiting";
  oracle.hold(!over || flying.length === 0, () => `it is ${after.status} with steps in flight`);
  oracle.hold(after.status !== "waiting" || flying.length === 0, () => "it waits, and works");

  const { maxParallel, maxSteps, budgetMicroUsd } = after.settings;
  const prompts = flying.filter(({ kind }) => kind === "prompt");
  oracle.hold(prompts.length <= maxParallel, () => `${String(prompts.length)} prompts in flight`);
  if (after.processes === before.processes) return;
  const most = maxSteps ?? Infinity;
  oracle.hold(after.steps + flying.length <= most, () => "more steps in flight than it may make");
  const started = prompts.filter(({ process }) => process > before.processes);
  if (started.length === 0) return;
  const reported = prompts.reduce((sum, { spend }) => sum + 3 * (spend?.tokens.input ?? 0), 0);
  const left = (budgetMicroUsd ?? Infinity) - spent(after) - reported;
  oracle.hold(left > 0, () => "a prompt was started with nothing to spend");
  const now = Date.parse(after.updatedAt);
  for (const [name, wait] of waitsIn(after)) {
    const own = prompts.filter(({ backend }) => backend === name);
    if (!own.some(({ process }) => process > before.processes)) continue;
    const probes = own.filter(({ process }) => process > wait.process);
    // Between two processes the clock may have been set back to before the start of the wait.
    oracle.hold(
      wait.until <= now || now < wait.since - 300_000,
      () => `a prompt started before the usage limit of ${name} ended`,
    );
    oracle.hold(probes.length <= 1, () => "more than one prompt tries whether the limit is over");
  }
}

/** The usage limits of all coding agents, by name. */
function waitsIn({ waits }: RunState): ReadonlyMap<string, Wait> {
  return new Map(Object.entries(waits));
}

/** The coding agents that may run the next step of an agent. */
function agentsOf(run: RunState, agent: Agent, oracle: Oracle): readonly string[] {
  if (run.backend === "simulation") return [run.backend];
  const { session } = agent;
  if (session.mode !== "fresh") {
    const id = session.mode === "resume" ? session.id : session.source;
    return [run.owners[id] ?? run.backend];
  }
  const state = oracle.program.states.find(({ name }) => name === fullName(agent));
  return state?.agents ?? [run.backend];
}

/** The limit of one coding agent does not delay a prompt that another one can run. */
function startAll({ after, recovered }: Save, oracle: Oracle): void {
  // The first save of a process comes before its first schedule.
  if (recovered || after.saves === 1) return;
  const { settings, status, stopReason } = after;
  const isLive = (status === "running" || status === "waiting") && stopReason === null;
  const isLimited = settings.budgetMicroUsd !== null || settings.maxSteps !== null;
  const flying = inFlight(after).filter(({ activity }) => activity.kind === "prompt");
  if (!isLive || isLimited || flying.length >= settings.maxParallel) return;
  const now = Date.parse(after.updatedAt);
  const waits = waitsIn(after);
  for (const agent of after.agents) {
    if (agent.gate !== null || !agent.state.endsWith(".md") || !isIdle(agent)) continue;
    if (dueAt(agent, now) !== null) continue;
    const names = agentsOf(after, agent, oracle);
    const held = names.some((name) => waits.has(name));
    oracle.hold(held, () => `${agent.id} does not start, and no limit of ${names.join()} holds it`);
  }
}

/** Of the prompts that could start, those that have waited longer start first. */
function queue({ before, after, idleSince, number }: Save, oracle: Oracle): void {
  const now = Date.parse(after.updatedAt);
  // Who waits for its workers or for a person is ready only when they have ended or answered.
  const joined = before.agents.filter((agent) => isJoining(agent) || questionOf(agent) !== null);
  const flew = new Set([...inFlight(before), ...joined].map(({ id }) => id));
  for (const { id } of after.agents) {
    if (flew.has(id) || !idleSince.has(id)) idleSince.set(id, number);
  }
  const since = (id: string) => idleSince.get(id) ?? number;
  const prompts = after.agents.filter(({ state, gate }) => gate === null && state.endsWith(".md"));
  // They became ready by time or by a person, not by the end of an attempt, which orders the queue.
  const late = (id: string) => {
    if (!oracle.living.has(id)) return false;
    const { joins, asks } = oracle.moment(id);
    return joins?.late != null || asks !== null;
  };
  const started = prompts.filter((agent) => {
    return (runningOf(agent)?.process ?? 0) > before.processes && !late(agent.id);
  });
  const last = Math.max(0, ...started.map(({ id }) => since(id)));
  for (const agent of prompts) {
    if (!isIdle(agent) || dueAt(agent, now) !== null) continue;
    const { id } = agent;
    if (agentsOf(after, agent, oracle).some((name) => waitsIn(after).has(name))) continue;
    oracle.hold(since(id) >= last, () => `${id} was passed over, and had waited longer`);
  }
}

/** A delay lasts its full time, over stops and crashes. */
function keepDelays({ before, after }: Save, oracle: Oracle): void {
  if (oracle.woken || oracle.broken !== null) return;
  const now = Date.parse(after.updatedAt);
  const former = new Map(before.agents.map((agent) => [agent.id, agent]));
  for (const agent of after.agents) {
    const was = former.get(agent.id);
    const { activity, starts } = agent;
    if (was !== undefined && isDelayed(was) && activity.type === "running") {
      const due = dueAt(was, now);
      oracle.hold(due === null, () => `${agent.id} has not waited until it may start`);
    }
    const { delay } = oracle.moment(agent.id);
    const file = oracle.program.states.find(({ name }) => name === fullName(agent));
    // A step that its state has refused may be asked for again at once.
    if (delay === null || starts > 0 || /max_visits|budget|max_context/.test(file?.text ?? ""))
      continue;
    oracle.hold(
      isDelayed(agent),
      () => `${agent.id} does not wait for ${delay} (${activity.type})`,
    );
  }
}

/** A usage limit is over when a prompt of its coding agent that began after it got through, and not before. */
function wake({ before, after }: Save, oracle: Oracle): void {
  const [were, are] = [waitsIn(before), waitsIn(after)];
  for (const [name, wait] of are) {
    if (were.get(name)?.process !== wait.process) oracle.limitedAt.set(name, before.processes);
  }
  if (after.status === "completed") return;
  for (const name of were.keys()) {
    if (are.has(name)) continue;
    const proofs = inFlight(before).filter(({ activity }) => {
      const { kind, process, backend } = activity;
      if (kind === "script" || backend !== name) return false;
      if (process <= (oracle.limitedAt.get(name) ?? 0)) return false;
      const attempt = oracle.attempts.get(process);
      return attempt?.ended === true && GOT_THROUGH.has(attempt.fate.end);
    });
    oracle.hold(proofs.length > 0, () => `the usage limit of ${name} was forgotten`);
  }
}

const GOT_THROUGH: ReadonlySet<string> = new Set([
  ...["well", "capped", "capped-silent", "mumbles", "fails"],
]);

/** Costs and tokens equal the sums of the attempts, in all totals. */
function addUp(run: RunState, oracle: Oracle): void {
  const { totals, sums } = run;
  const fields = (each: Totals) => [
    ...[each.attempts, each.costMicroUsd, each.estimatedMicroUsd, each.tokens.input],
  ];
  const added = (parts: readonly Totals[]) =>
    fields(totals).map((_, i) => parts.reduce((sum, part) => sum + (fields(part)[i] ?? 0), 0));
  const states = added(Object.values(sums.states));
  oracle.hold(isDeepStrictEqual(states, fields(totals)), () => "the sums of states do not add up");
  // An agent that has ended takes its own with it: from then on the log has them.
  const agents = added(run.agents.map((agent) => agent.sums));
  const whole = oracle.results.size === 0 && oracle.turns.failed.size === 0;
  const atMost = fields(totals).every((all, i) => (agents[i] ?? 0) <= all);
  oracle.hold(
    whole ? isDeepStrictEqual(agents, fields(totals)) : atMost,
    () => "the sums of agents do not add up",
  );
  for (const each of [totals, ...Object.values(sums.states), ...Object.values(sums.models)]) {
    const isFree = each.costMicroUsd + each.estimatedMicroUsd === 0;
    oracle.hold(
      !isFree || weightedTokens(each.tokens) === 0,
      () => "tokens have no cost and no estimate",
    );
  }
  const { costMicroUsd: cost, estimatedMicroUsd: estimate, tokens } = totals;
  oracle.hold(
    tokens.input === oracle.tokens,
    () => `${String(tokens.input)} tokens, not ${String(oracle.tokens)}`,
  );
  const right = cost === oracle.cost && estimate === oracle.estimate;
  const enough = cost >= oracle.cost && cost + estimate >= oracle.cost + oracle.estimate;
  oracle.hold(
    oracle.clean ? right : enough,
    () =>
      `${String(cost)} + ${String(estimate)} were counted, ` +
      `and ${String(oracle.cost)} + ${String(oracle.estimate)} were spent`,
  );
}
