import { join } from "node:path";
import type { Observer } from "../engine/ports/observer.ts";
import type { StepRecorder } from "../engine/ports/step-events.ts";
import { warnOnce } from "../language/basics/warn-once.ts";
import { nameOfStep, type Step } from "../machine/decide/step.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import { AppendFile } from "./append-file.ts";
import { encodeEvent } from "./codec/event-json.ts";
import { DEBUG_LIMITS, DebugLimit, type DebugLimits } from "./debug-limit.ts";
import { debugName } from "./debug-name.ts";
import { type StepFiles, stepFiles } from "./step-files.ts";
import { transitionLines } from "./transitions-log.ts";

export interface DebugFilesOptions {
  readonly clock: { now(): number };
  /** Called at most once, when a debug file cannot be written. */
  readonly warn: (message: string) => void;
  /** Maximum bytes of each output (default: 64 MiB). */
  readonly maxOutputBytes?: number;
  /** Limits of the files of all steps (default: {@link DEBUG_LIMITS}). */
  readonly limits?: DebugLimits;
}

/** Writes the debug files of a run: `transitions.log`, and the files of its steps. */
export interface DebugFiles extends Observer {
  /** Records the raw data of a step until the `step.ended` of its process. */
  recorder(step: Step): StepRecorder;
  /** The most useful file of the last ended process of this agent; null if none ran. */
  mainFile(agent: AgentId): string | null;
  close(): Promise<void>;
}

/**
 * Debug files in `dir`, which is `.raymond/debug/<run>/` (docs/debugging.md, "Debug files"): mode 0600, created on the
 * first write, written in the background. A write error is one warning per run and never a failure. Beyond the limits
 * the files of the oldest steps are deleted, but not `transitions.log`.
 */
export function debugFiles(dir: string, options: DebugFilesOptions): DebugFiles {
  const failed = warnOnce(
    options.warn,
    (reason) => `Cannot write some debug files in ${dir}: ${reason}.`,
  );

  const transitions = new AppendFile(join(dir, "transitions.log"), failed);
  const transitionLine = transitionLines();
  const limit = new DebugLimit(dir, options.limits ?? DEBUG_LIMITS, failed);
  const running = new Map<number, RunningStep>();
  const ending = new Set<Promise<void>>();
  const mainFiles = new Map<AgentId, string>();

  const end = (process: number, facts: Readonly<Record<string, unknown>>): void => {
    const step = running.get(process);
    if (step === undefined) return;
    running.delete(process);
    mainFiles.set(step.agent, step.base + step.files.mainFile());
    const closing = step.files.close(facts).then(() => {
      ending.delete(closing);
      limit.ended(process, step.base, step.files.endings());
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
      limit.started(step.process);
      running.set(step.process, { agent: step.agent.id, files, base });
      return files;
    },
    notify(event) {
      const line = transitionLine(event, options.clock.now());
      if (line !== null) transitions.append(line);
      if (event.type === "step.started" || event.type === "agent.ended") {
        mainFiles.delete(event.agent);
      }
      if (event.type === "step.ended") end(event.process, endFacts(event));
    },
    mainFile: (agent) => mainFiles.get(agent) ?? null,
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
  /** Path of its files without extension. */
  readonly base: string;
}

/** For `--no-debug`. */
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
