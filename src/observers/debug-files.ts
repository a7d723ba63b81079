import { join } from "node:path";
import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import { nameOfStep, type Step } from "../core/machine/step.ts";
import type { Observer } from "../ports/observer.ts";
import type { StepRecorder } from "../ports/step-events.ts";
import { AppendFile } from "./append-file.ts";
import { DEBUG_LIMITS, DebugLimit, type DebugLimits } from "./debug-limit.ts";
import { debugName } from "./debug-name.ts";
import { encodeEvent } from "./event-json.ts";
import { type StepFiles, stepFiles } from "./step-files.ts";
import { transitionLines } from "./transitions-log.ts";

export interface DebugFilesOptions {
  readonly clock: { now(): number };
  /** Called at most once, when a debug file cannot be written. */
  warn(message: string): void;
  /** Bytes kept of each output, first and last part together; 64 MiB without. */
  readonly maxOutputBytes?: number;
  /** What the files of all steps may take together; {@link DEBUG_LIMITS} without. */
  readonly limits?: DebugLimits;
}

/** The debug files of a run: watches it for `transitions.log`, and records its steps. */
export interface DebugFiles extends Observer {
  /** Where the raw material of this step goes, until the `step.ended` of its process. */
  recorder(step: Step): StepRecorder;
  /** The file that tells most of the last process of this agent that has ended; null where none ran. */
  telling(agent: AgentId): string | null;
  close(): Promise<void>;
}

/**
 * Debug files in `dir`, which is `.raymond/debug/<run>/` (docs/debugging.md,
 * "Debug files"): private to the owner, created when there is something to
 * write, in the background. One that cannot be written is one warning over the
 * whole run, never a failure. Over the limits the files of the oldest steps go;
 * `transitions.log` stays.
 */
export function debugFiles(dir: string, options: DebugFilesOptions): DebugFiles {
  let warned = false;
  const failed = (error: unknown): void => {
    if (warned) return;
    warned = true;
    const reason = error instanceof Error ? error.message : String(error);
    options.warn(`Some debug files in ${dir} cannot be written: ${reason}.`);
  };

  const transitions = new AppendFile(join(dir, "transitions.log"), failed);
  const transitionLine = transitionLines();
  const limit = new DebugLimit(dir, options.limits ?? DEBUG_LIMITS, failed);
  const running = new Map<number, RunningStep>();
  const ending = new Set<Promise<void>>();
  const telling = new Map<AgentId, string>();

  const end = (process: number, facts: Readonly<Record<string, unknown>>): void => {
    const step = running.get(process);
    if (step === undefined) return;
    running.delete(process);
    telling.set(step.agent, step.base + step.files.telling());
    const closing = step.files.close(facts).then(() => {
      ending.delete(closing);
      limit.ended(process, step.base);
    });
    ending.add(closing);
  };

  return {
    recorder(step) {
      const base = join(dir, debugName(step.agent.id, nameOfStep(step), step.process));
      const files = stepFiles(step, {
        base,
        maxBytes: options.maxOutputBytes ?? 64 * 1024 * 1024,
        failed,
      });
      limit.began(step.process);
      running.set(step.process, { agent: step.agent.id, files, base });
      return files;
    },
    notify(event) {
      const line = transitionLine(event, options.clock.now());
      if (line !== null) transitions.append(line);
      if (event.type === "step.started" || event.type === "agent.ended") {
        telling.delete(event.agent);
      }
      if (event.type === "step.ended") end(event.process, endFacts(event));
    },
    telling: (agent) => telling.get(agent) ?? null,
    async close() {
      for (const process of [...running.keys()]) end(process, {});
      await Promise.all([transitions.close(), ...ending]);
      await limit.settle();
    },
  };
}

interface RunningStep {
  readonly agent: AgentId;
  readonly files: StepFiles;
  /** Path of its files without their endings. */
  readonly base: string;
}

/** For `--no-debug`: drops everything. */
export const noDebug: StepRecorder = {
  prompt: () => undefined,
  line: () => undefined,
  stdout: () => undefined,
  stderr: () => undefined,
  meta: () => undefined,
};

function endFacts(
  event: Extract<Event, { type: "step.ended" }>,
): Readonly<Record<string, unknown>> {
  const { ok, duration_ms, cost_usd, estimated_usd, ...rest } = encodeEvent(event);
  if (event.kind === "script") return { ok, duration_ms, cost_usd, estimated_usd };
  const { model, client_version, tokens, denials } = rest;
  return {
    ...{ ok, duration_ms, cost_usd, estimated_usd },
    ...{ model, client_version, tokens, denials },
  };
}
