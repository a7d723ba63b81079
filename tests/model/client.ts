import type { Cancellation } from "../../src/engine/ports/cancellation.ts";
import type { Executor } from "../../src/engine/ports/executor.ts";
import type { StepListener } from "../../src/engine/ports/step-events.ts";
import type { Step } from "../../src/machine/decide/step.ts";
import type { Session } from "../../src/machine/model/agent.ts";
import { failure as why } from "../../src/machine/model/failure.ts";
import type { StepOutcome } from "../../src/machine/model/outcome.ts";
import { NO_SPEND, type SpendReport, unpricedSpend } from "../../src/machine/model/spend.ts";
import { failure, IN_USE, limitUntil, output } from "../support/outcomes.ts";
import { used as usedOf } from "../support/spend.ts";
import { type Fate, WELL } from "./fault-plan.ts";
import { inspectStep } from "./inspection.ts";
import type { Lifetime } from "./lifetime.ts";
import { PROMPT_TOKENS, respond, WINDOW } from "./program.ts";

/** Executes steps as their fates want, and looks at all that it is given. */
export function client(life: Lifetime): Executor {
  const { all, disk, running } = life;
  const { oracle, schedule, conversations } = all;
  const { fates, lostSession } = all.faultPlan;
  const busy = new Map<string, number>();

  async function execute(step: Step, cancellation: Cancellation, listener: StepListener) {
    running.add(step.process);
    try {
      return await run(step, cancellation, listener);
    } finally {
      running.delete(step.process);
    }
  }

  async function run(step: Step, cancellation: Cancellation, listener: StepListener) {
    const planned = fates[step.process - 1] ?? WELL;
    const certain = step.file.kind === "script" && step.file.onError !== null;
    const fate = certain && planned.end !== "bug" ? { ...planned, end: "well" as const } : planned;
    inspectStep(step, disk.run, oracle, conversations);
    oracle.begin(step, fate);
    const cancelled = () => {
      const wanted = cancellation.interrupt.aborted || cancellation.kill.aborted;
      const may = step.file.kind === "script" || life.interrupted || life.broken || disk.failed;
      oracle.hold(!wanted || may, () => `process ${String(step.process)} is ended for nothing`);
      oracle.hold(wanted || !life.failing, () => `process ${String(step.process)} is not ended`);
      return wanted;
    };
    const end = (outcome: StepOutcome, moves: boolean): StepOutcome => {
      const { tokens, costMicroUsd, conversationMicroUsd } = outcome.spend;
      const isReported = costMicroUsd !== null || conversationMicroUsd !== null;
      const cost = isReported ? 3 * tokens.input : null;
      const mumbled =
        outcome.kind === "output" &&
        outcome.session !== null &&
        !outcome.capped &&
        fate.end === "mumbles";
      const held = outcome.session;
      oracle.end(step.process, { moves, tokens: tokens.input, mumbled, held, cost });
      return outcome;
    };
    // As the real executors: no process starts after a cancellation.
    if (cancelled()) return end(failure("cancelled", { exitCode: null }), false);
    await schedule.turn(`begin ${String(step.process)}`);
    if (step.gated !== null) {
      const wanted = cancelled() && fate.obeys;
      const outcome = wanted ? failure("cancelled") : gate(fate);
      return end(outcome, outcome.kind === "checked" && outcome.problem === null);
    }
    if (step.file.kind === "script") {
      const [outcome, moves] =
        cancelled() && fate.obeys ? ([failure("cancelled"), false] as const) : script(step, fate);
      return end(outcome, moves);
    }

    const gated = step.file.rules?.[0]?.verify !== undefined;
    const { session } = step;
    const id = session.id ?? "";
    for (const each of session.mode === "branch" ? [session.source, id] : [id]) {
      oracle.hold(!busy.has(each), () => `${each} is used by two processes at once`);
      busy.set(each, step.process);
    }
    try {
      const fateful = suited(fate, session);
      let used = 0;
      const spend = (done: boolean): SpendReport => {
        const version = fate.cumulative ? "2.1.330" : "2.1.197";
        const tokens = { input: used, output: 0, cacheRead: 0, cacheWrite: 0 };
        const use = usedOf("sonnet", tokens, 3);
        const partial = unpricedSpend({ version, model: "sonnet", unreported: [use] });
        if (!done) return partial;
        const cost = 3 * used;
        const figure = fate.cumulative
          ? { conversationMicroUsd: conversations.pay(id, cost) }
          : { costMicroUsd: cost };
        const prompts = conversations.history({ mode: "resume", id })?.length ?? 0;
        const context = { tokens: prompts * PROMPT_TOKENS, window: WINDOW };
        return { ...partial, unreported: [], reported: [use], ...figure, context, settled: true };
      };
      const accepts = ALWAYS.has(fateful) || (fate.accepts && !NEVER.has(fateful));
      if (accepts) {
        const { agent, n } = oracle.moment(step.agent.id);
        conversations.take(session, `${agent}#${String(n)}`, step.backend.name);
        listener.accepted();
        listener.message("I take it.");
      }
      for (let report = 1; accepts && report <= fate.reports + 1; report += 1) {
        await schedule.turn(`work ${String(step.process)}`);
        used = Math.floor((fate.tokens * report) / (fate.reports + 1));
        if (cancelled() && fate.obeys) break;
        listener.message("Still at it.");
        if (cancellation.budget.aborted && fate.obeys) break;
        if (report <= fate.reports) listener.spending(spend(false));
      }
      const held = accepts ? session.id : null;
      if (cancelled() && fate.obeys) {
        return end(failure("cancelled", { session: held, spend: spend(false) }), false);
      }
      if (accepts && cancellation.budget.aborted && fate.obeys) {
        const poor = disk.run?.stopReason?.class === "budget";
        oracle.hold(poor || disk.failed, () => "a step is ended for money that is there");
        // What was said until then is judged, and is nothing here.
        return end(output("", { capped: true, session: held, spend: spend(false) }), false);
      }
      const done = accepts && fateful !== "crash";
      const [outcome, moves] = prompt(step, fateful, held, spend(done));
      return end(outcome, moves && !gated);
    } finally {
      for (const [each, process] of busy) if (process === step.process) busy.delete(each);
    }
  }

  const bug = (): never => {
    life.broken = true;
    throw new Error("a bug");
  };

  /** It passes, sends back or cannot be started; what it prints is nothing to anybody but the model. */
  const gate = ({ end }: Fate): StepOutcome => {
    if (end === "bug") return bug();
    if (end === "never-runs") return failure("deterministic", { exitCode: null });
    const problem = end === "well" ? null : "The gate GATE.sh failed with exit code 1.";
    const said = "<result>no tag of mine counts</result>";
    return { ...NO_PROCESS, kind: "checked", problem, said };
  };

  const script = (step: Step, fate: Fate): readonly [StepOutcome, boolean] => {
    if (fate.end === "bug") return bug();
    const said = respond(oracle.program, oracle.moment(step.agent.id));
    if ("failed" in said) {
      const last = step.file.kind === "script" && step.agent.retries >= step.file.retries;
      return [failure(why("deterministic", said.failed)), last];
    }
    if (fate.end === "never-runs") return [failure("deterministic", { exitCode: null }), false];
    if (fate.end === "crash") return [failure("crash"), false];
    if (fate.end === "fails") return [failure("deterministic"), false];
    return [output(said.said, { session: null }), true];
  };

  const prompt = (
    step: Step,
    fate: Fate["end"],
    session: string | null,
    spend: SpendReport,
  ): readonly [StepOutcome, boolean] => {
    const response = respond(oracle.program, oracle.moment(step.agent.id));
    const said = "said" in response ? response.said : "";
    const fails = { session, spend };
    switch (fate) {
      case "well":
        return [output(said, fails), true];
      case "capped":
        return [output(said, { ...fails, capped: true }), said.includes("</")];
      case "capped-silent":
        return [output("", { ...fails, capped: true }), false];
      case "mumbles":
        return [output("<goto>NOWHERE</goto>", fails), false];
      case "crash":
        return [failure("crash", fails), false];
      case "outage":
        return [failure("outage", fails), false];
      case "limit":
        return [failure("limit", fails), false];
      case "limit-until":
        return [failure(limitUntil(Date.UTC(2026, 10, 21, 13)), fails), false];
      case "fails":
        return [failure("deterministic", fails), false];
      case "never-runs":
        return [failure("deterministic", { exitCode: null }), false];
      case "refused":
        return [failure(IN_USE), false];
      case "lost":
        if (lostSession === "fresh" && forgets(step)) oracle.forgetful.add(step.agent.id);
        return [failure("lost-session"), false];
      case "bug":
        return bug();
    }
  };

  return { execute };
}

const NO_PROCESS = { session: null, spend: NO_SPEND, durationMs: 0, exitCode: 0 } as const;

const ALWAYS: ReadonlySet<Fate["end"]> = new Set(["well", "capped", "capped-silent", "mumbles"]);
const NEVER: ReadonlySet<Fate["end"]> = new Set(["never-runs", "refused", "lost"]);

/** Only a conversation that is resumed can be lost, and only a new one refused. */
function suited({ end }: Fate, { mode }: Session): Fate["end"] {
  if (end === "lost" && mode === "fresh") return "refused";
  return end === "refused" && mode === "resume" ? "lost" : end;
}

/** Whether the conversation that is lost is the one with which the state was entered. */
function forgets({ agent, session }: Step): boolean {
  const root = (of: Session) =>
    of.mode === "branch" ? of.source : of.mode === "resume" ? of.id : "";
  return root(session) === root(agent.entered);
}
