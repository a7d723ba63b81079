import { homedir } from "node:os";
import { claudeBackend } from "../../backends/claude/claude.ts";
import type { IncrementalCopies } from "../../backends/claude/incremental-copy.ts";
import { TranscriptCopies } from "../../backends/claude/transcript-copies.ts";
import { withTranscripts } from "../../backends/claude/transcripts.ts";
import type { RunSettings, RunState } from "../../core/machine/run-state.ts";
import type { Environment } from "../../executors/environment.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import { type Backend, SIMULATION } from "../../ports/backend.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Observer } from "../../ports/observer.ts";
import type { ProcessCall, RunningProcess } from "../../ports/process.ts";
import { simulatedBackend } from "../../simulation/backend.ts";
import type { Simulation } from "../../simulation/script.ts";
import { UnknownBackendError } from "../errors.ts";

/** What a backend can be made of; each takes what it needs. */
export interface BackendParts {
  readonly settings: RunSettings;
  /** Path of the client; null where no prompt needs it. */
  readonly client: string | null;
  readonly simulation: Simulation | null;
  readonly artifacts: Artifacts;
  readonly files: IncrementalCopies;
  readonly env: Environment;
  readonly clock: Clock;
  readonly start: (call: ProcessCall) => RunningProcess;
  readonly warn: (message: string) => void;
}

/** A backend that a run can use. */
export interface OpenBackend {
  readonly backend: Backend;
  /** What watches the run for it. */
  readonly observers: readonly Observer[];
}

/** Backends by the names that runs keep: a new one is a folder and a line here. */
const BACKENDS: Readonly<Record<string, (parts: BackendParts) => OpenBackend>> = {
  claude,
  [SIMULATION]: simulation,
};

/** The one that answers prompts where nothing else is said. */
export const USUAL_BACKEND = "claude";

/** Throws {@link UnknownBackendError} where this raymond lacks the backend of a run. */
export function openBackend(
  { id, backend }: Pick<RunState, "id" | "backend">,
  parts: BackendParts,
): OpenBackend {
  return find(id, backend)(parts);
}

/** The same before anything is opened. */
export function requireBackend({ id, backend }: Pick<RunState, "id" | "backend">): void {
  find(id, backend);
}

function find(id: string, name: string): (parts: BackendParts) => OpenBackend {
  const open = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (open === undefined) throw new UnknownBackendError(id, name, Object.keys(BACKENDS));
  return open;
}

function claude(parts: BackendParts): OpenBackend {
  const { settings, client, artifacts, files, env, clock, start, warn } = parts;
  const folder = artifacts.transcripts;
  const transcripts = new TranscriptCopies({ env, home: homedir(), folder, files, warn });
  const backend = claudeBackend({
    command: client ?? settings.client ?? "claude",
    env,
    memory: settings.switches["memory"] === true,
    timers: clock,
    start,
  });
  return { backend: withTranscripts(backend, transcripts), observers: [transcripts] };
}

function simulation({ simulation: script, clock }: BackendParts): OpenBackend {
  if (script === null) throw new Error("a simulated run came without its simulation");
  return { backend: simulatedBackend(script, clock.sleep, clock.elapsed), observers: [] };
}
