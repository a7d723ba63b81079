import type { Executor } from "../../engine/ports/executor.ts";
import type { ProcessCall, RunningProcess, StartProcess } from "../../engine/ports/process.ts";
import { renderTemplate } from "../../language/workflow/template.ts";
import { nameOfStep, type Step } from "../../machine/decide/step.ts";
import { stepValues } from "../../machine/decide/step-values.ts";
import { failure } from "../../machine/model/failure.ts";
import { failedAttempt } from "../../machine/model/outcome.ts";
import type { Answers } from "./answers.ts";
import type { ScriptedEnd } from "./given.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export type Pretended = Pick<ScriptedEnd, "exitCode" | "delayMs" | "output" | "errors">;

/**
 * Executes script states with the outputs of the test. `open` creates the script executor with a
 * replacement for processes. `run`: executes scripts without an entry.
 */
export function givenScripts(
  answers: Answers,
  clock: VirtualClock,
  open: (start: StartProcess) => Executor,
  run: Executor | null,
): Executor {
  const pretended = new Map<string, Pretended>();
  const executor = open((call) => {
    const end = pretended.get(call.token);
    if (end === undefined) throw new Error("a process was started that no test has given");
    return pretend(end, call, clock);
  });
  return {
    async execute(step, ...others) {
      const name = nameOfStep(step);
      if (run !== null && !answers.knows(name)) return run.execute(step, ...others);
      const end = answers.end(step.agent.id, name, step.agent.pendingResult ?? "");
      if ("missing" in end) return failedAttempt(failure("deterministic", end.missing, end.hint));
      const output = renderTemplate(end.output, stepValues(step)).prompt;
      pretended.set(step.token, { ...end, output });
      return executor.execute(withoutLimits(step), ...others);
    },
  };
}

/** A script that is not started needs no sandbox and no container. */
function withoutLimits(step: Step): Step {
  if (step.file.kind === "prompt") return step;
  const none = { sandbox: null, container: null };
  return { ...step, file: { ...step.file, ...none }, settings: { ...step.settings, ...none } };
}

function pretend(
  { output, errors, exitCode, delayMs }: Pretended,
  call: ProcessCall,
  clock: VirtualClock,
): RunningProcess {
  const own = new AbortController();
  const ended = AbortSignal.any([own.signal, call.cancellation.interrupt, call.cancellation.kill]);
  const began = clock.elapsed();
  const work = async () => {
    // No real process: 0 is not a pid.
    call.onStart?.(0);
    await clock.pause(delayMs, ended);
    const cut = ended.aborted;
    if (!cut) {
      if (output !== "") call.onStdout(Buffer.from(output));
      if (errors !== "") call.onStderr(Buffer.from(errors));
    }
    return {
      exitCode: cut ? null : exitCode,
      signal: cut ? ("SIGINT" as const) : null,
      spawnError: null,
      endedByRaymond: cut,
      durationMs: clock.elapsed() - began,
      leftOpen: false,
    };
  };
  return {
    done: work(),
    end: () => {
      own.abort();
    },
  };
}
