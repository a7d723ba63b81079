import { RaymondError } from "../core/errors.ts";
import type { Input } from "../core/machine/advance.ts";
import type { Agent, AgentId } from "../core/machine/agent.ts";
import { allow, type Halt } from "../core/machine/allowance.ts";
import { decide, wantedFolder } from "../core/machine/decide.ts";
import type { Decision } from "../core/machine/decision.ts";
import type { Event } from "../core/machine/event.ts";
import type { StepOutcome } from "../core/machine/outcome.ts";
import { findAgent } from "../core/machine/roster.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { NO_SPEND } from "../core/machine/spend.ts";
import type { Step } from "../core/machine/step.ts";
import { placeText } from "../core/place.ts";
import { parseStateFile } from "../core/workflow/parse-state-file.ts";
import { describeProblem, stateKind } from "../core/workflow/state-file.ts";
import { stateProblem } from "../core/workflow/state-problem.ts";
import type { StepListener } from "../executors/executor.ts";
import type { Drain } from "./drain.ts";
import type { Engine } from "./engine.ts";
import { tellEnded } from "./leftovers.ts";

export type Ended = Extract<Input, { type: "ended" }>;
type Progress = Extract<Input, { type: "accepted" | "spending" }>;

/**
 * One attempt of one agent's step, from its state file to the judgement of what
 * came back. The run must be saved with this step in flight. Whatever is wrong
 * with the workflow is an outcome; only bugs reject.
 */
export async function stepAgent(
  run: RunState,
  id: AgentId,
  engine: Engine,
  drain: Drain,
  onProgress: (input: Progress) => void,
): Promise<Ended> {
  const agent = findAgent(run, id);
  const process = agent.inFlight?.process ?? 0;
  const began = engine.clock.elapsed();
  const end = (outcome: StepOutcome, decision: Ended["decision"]): Ended => {
    return {
      type: "ended",
      agent: id,
      process,
      outcome,
      decision,
      at: engine.clock.now(),
      dice: engine.dice(),
    };
  };

  const prepared = await prepare(run, agent, engine);
  if ("failure" in prepared) {
    const { message, hint } = prepared.failure;
    const outcome = neverRan(message, hint ?? null, engine.clock.elapsed() - began);
    return end(outcome, {
      kind: "fail",
      class: "deterministic",
      problem: message,
      hint: hint ?? null,
    });
  }
  if ("halt" in prepared) {
    return end(neverRan(prepared.halt.problem, null, 0), { kind: "halt", ...prepared.halt });
  }
  const { step } = prepared;
  const listener = listen(run, agent, engine, {
    accepted: () => {
      onProgress({ type: "accepted", agent: id, process });
    },
    spending: (spend) => {
      onProgress({ type: "spending", agent: id, process, spend });
    },
  });
  const cancellation = drain.of(stateKind(agent.state));
  const outcome = await engine.executor.execute(
    step,
    cancellation,
    listener,
    engine.recorder(step),
  );
  const decision = await judge(step, outcome, engine);
  if (isTriedAgain(outcome, decision)) await endLeftovers(step, run, engine);
  return end(outcome, decision);
}

async function judge(step: Step, outcome: StepOutcome, engine: Engine): Promise<Decision> {
  const cd = wantedFolder(step, outcome);
  const folder = cd === null ? null : await engine.folders.find(step.cwd, cd);
  // A step may take hours in which the workflow is edited: a transition means what is there when it is emitted.
  const names = await engine.scope.names().catch(() => step.names);
  return decide({ ...step, names }, outcome, { folder, lostSession: engine.lostSession });
}

/** The end of a step whose client has finished while raymond was dead; null where it cannot be judged any more. */
export async function endLate(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  engine: Engine,
): Promise<Ended | null> {
  const prepared = await prepare(run, agent, engine);
  if (!("step" in prepared)) return null;
  const decision = await judge(prepared.step, outcome, engine);
  const process = agent.inFlight?.process ?? 0;
  const at = engine.clock.now();
  return { type: "ended", agent: agent.id, process, outcome, decision, at, dice: engine.dice() };
}

/** The same step is done again after an attempt that failed. */
function isTriedAgain(outcome: StepOutcome, { kind }: Decision): boolean {
  return outcome.kind === "failure" && kind !== "fail" && kind !== "divert";
}

/** A client can die alone, and its tool works on: two attempts of one step must not work at the same time. */
async function endLeftovers({ token }: Step, run: RunState, engine: Engine): Promise<void> {
  const ended = await engine.leftovers.endStep(token);
  for (const event of tellEnded(ended)) engine.observer.notify(event, run);
}

type Prepared =
  | { readonly step: Step }
  | { readonly halt: Halt }
  | { readonly failure: RaymondError | StepProblem };

interface StepProblem {
  readonly message: string;
  readonly hint?: string;
}

async function prepare(run: RunState, agent: Agent, engine: Engine): Promise<Prepared> {
  const { scope, folders, platform, clock, observer } = engine;
  try {
    const path = scope.path(agent.state);
    const names = await scope.names();
    const file = parseStateFile(agent.state, await scope.read(agent.state), path);
    // Said at the first start only: a loop over a state need not repeat it.
    if ((run.sums.states[agent.state]?.attempts ?? 0) === 0) {
      for (const { line, message } of file.warnings) {
        const told: Event = {
          type: "run.warning",
          message: `${placeText(path, { line })}: ${message}`,
          hint: null,
        };
        observer.notify(told, run);
      }
    }
    const problem = stateProblem(file, names, platform);
    if (problem !== null) {
      return { failure: { message: describeProblem(path, problem), hint: problem.hint } };
    }
    const cwd = agent.cwd ?? run.launchDir;
    if ((await folders.find(run.launchDir, cwd)) === null) {
      const hint = "Create it again, then resume the run.";
      return {
        failure: { message: `The folder that agent ${agent.id} works in is gone: ${cwd}`, hint },
      };
    }
    const { process = 0 } = agent.inFlight ?? {};
    const allowance = allow(run, file, path, process);
    if (!allowance.ok) return { halt: allowance.halt };
    const limit = file.timeoutMs;
    const step: Step = {
      run: run.id,
      agent,
      file,
      path,
      scopeDir: scope.dir,
      names,
      platform,
      settings: run.settings,
      cwd,
      process,
      attempt: agent.starts,
      token: `${run.token}.${String(process)}`,
      session: agent.session,
      capMicroUsd: allowance.capMicroUsd,
      deadline:
        file.kind === "script" || limit === null || limit === 0
          ? null
          : clock.elapsed() + limit - agent.elapsedMs,
    };
    return { step };
  } catch (error) {
    if (error instanceof RaymondError) return { failure: error };
    throw error;
  }
}

function neverRan(message: string, hint: string | null, durationMs: number): StepOutcome {
  return {
    kind: "failure",
    class: "deterministic",
    message,
    hint,
    session: null,
    resetsAt: null,
    refused: null,
    spend: NO_SPEND,
    durationMs,
    exitCode: null,
  };
}

function listen(
  run: RunState,
  agent: Agent,
  engine: Engine,
  progress: Pick<StepListener, "accepted" | "spending">,
): StepListener {
  const at = { agent: agent.id, state: agent.state };
  const tell = (event: Event) => {
    engine.observer.notify(event, run);
  };
  return {
    ...progress,
    message: (text) => {
      tell({ type: "step.message", ...at, text });
    },
    output: (stream, text) => {
      tell({ type: "step.output", ...at, stream, text });
    },
    tool: (tool, argument) => {
      tell({ type: "step.tool", ...at, tool, argument });
    },
    notice: (text) => {
      tell({ type: "step.notice", ...at, text });
    },
    warning: (message) => {
      tell({ type: "run.warning", message, hint: null });
    },
  };
}
