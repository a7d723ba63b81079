import { mkdir } from "node:fs/promises";
import type { RunId, RunSettings, RunState } from "../core/machine/run-state.ts";
import type { Engine } from "../engine/engine.ts";
import { steadyClock } from "../engine/steady-clock.ts";
import { executorByKind } from "../executors/by-kind.ts";
import { promptExecutor } from "../executors/prompt.ts";
import { scriptExecutor } from "../executors/script.ts";
import { consoleObserver } from "../observers/console.ts";
import { type DebugFiles, debugFiles, noDebug } from "../observers/debug-files.ts";
import { eventLog } from "../observers/event-log.ts";
import { fanOut } from "../observers/fan-out.ts";
import { jsonObserver } from "../observers/json.ts";
import { notifyObserver } from "../observers/notify.ts";
import { printable } from "../observers/printable.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Leftovers } from "../ports/leftovers.ts";
import type { Observer } from "../ports/observer.ts";
import type { Scope } from "../ports/scope.ts";
import type { Store } from "../ports/store.ts";
import { recordGroups } from "../process/step-groups.ts";
import type { Simulation } from "../simulation/script.ts";
import { journalFile } from "../stores/journal-file.ts";
import { openBackend } from "./backends.ts";
import { inherited } from "./inherited.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";
import { endStepSurvivors, endSurvivors } from "./survivors.ts";
import { systemFolders, systemIds, systemPlatform } from "./system.ts";
import { pathFrom, programName } from "./words.ts";

/** What the composition of one run depends on. */
export interface Wiring {
  readonly id: RunId;
  readonly store: Store;
  readonly scope: Scope;
  readonly settings: RunSettings;
  /** Name of the backend. */
  readonly backend: string;
  /** Set: prompts are answered from it. */
  readonly simulation: Simulation | null;
  /** Path of the client; null where no prompt needs it. */
  readonly client: string | null;
  readonly lostSession: "fail" | "fresh";
  /** What has begun with this process has started nothing before it. */
  readonly begun: "here" | "before";
  /** A run that is taken away when it ends: nobody is told how to go on with it. */
  readonly keeping: "kept" | "passing";
}

/** An engine, and what must be closed after it. */
export interface Wired {
  readonly engine: Engine;
  /** Writes out logs and debug files. Never rejects. */
  close(): Promise<void>;
}

/** The composition root: the only file that knows which implementations are real. */
export async function wire(wiring: Wiring, options: RunOptions, shell: Shell): Promise<Wired> {
  const { id, store, settings } = wiring;
  const { clock: wallClock, start: startProcess, kept } = await shell.system();
  const clock = steadyClock(wallClock);
  const artifacts = await store.artifacts(id);
  const start = recordGroups(startProcess, artifacts.groups);
  const warn = (message: string) => {
    shell.err.line(`${shell.style.warning("warning:")} ${printable(message)}`);
  };
  const debug: DebugFiles | null = settings.debug
    ? debugFiles(artifacts.debug, { clock, warn })
    : null;
  const platform = systemPlatform();
  const env = inherited(shell.env);
  const { backend, observers: watching } = openBackend(wiring, {
    ...{ settings, client: wiring.client, simulation: wiring.simulation },
    ...{ artifacts, files: kept, env, clock, start, warn },
  });
  const { notify } = settings;
  const observers: Observer[] = [
    consoleObserver({
      write: shell.err.write,
      style: shell.style,
      verbose: options.verbose === true,
      quiet: options.quiet === true,
      columns: () => shell.columns,
      now: shell.now,
      debugFile: (agent) => (wiring.keeping === "kept" ? (debug?.telling(agent) ?? null) : null),
      shownPath: (file) => pathFrom(shell.cwd, file),
      program: wiring.keeping === "kept" ? programName(options) : null,
    }),
    await eventLog(artifacts.events, clock, warn),
    ...(debug === null ? [] : [debug]),
    ...(options.json === true ? [jsonObserver(shell.out.line, clock)] : []),
    ...watching,
    ...(notify === null ? [] : [notifyObserver({ command: notify, env, platform, clock, warn })]),
  ];
  const observer = fanOut(observers);
  const journal = journalFile(artifacts.journal, warn);
  const tempDir = async () => {
    await mkdir(artifacts.payloads, { recursive: true, mode: 0o700 });
    return artifacts.payloads;
  };
  const engine: Engine = {
    scope: wiring.scope,
    executor: executorByKind({
      prompt: promptExecutor(backend, clock.elapsed),
      script: scriptExecutor({ env, platform, tempDir, start }),
    }),
    store,
    journal,
    observer,
    clock,
    ids: systemIds,
    folders: systemFolders,
    leftovers: leftoversOf(wiring, artifacts),
    recall: backend.recall,
    platform,
    recorder: (step) => debug?.recorder(step) ?? noDebug,
    dice: Math.random,
    lostSession: wiring.lostSession,
  };
  const close = async () => {
    journal.close();
    await observer.close?.();
  };
  return { engine, close };
}

function leftoversOf({ begun }: Wiring, { groups }: Artifacts): Leftovers {
  const elder = begun === "here" ? process.pid : null;
  return {
    end: async (runToken) => (await endSurvivors(runToken, groups, elder)).ended,
    endStep: async (stepToken) => (await endStepSurvivors(stepToken, groups)).ended,
  };
}

/** The exit code of a run that has ended (docs/cli.md, "Exit codes"). */
export function exitCodeOfRun(run: RunState): number {
  switch (run.status) {
    case "completed":
      return 0;
    case "failed":
      return 1;
    case "budget_exceeded":
      return 4;
    case "paused":
      return run.stopReason?.class === "step-limit" ? 4 : 5;
    case "interrupted":
      return run.stopReason?.signal === "SIGINT" ? 130 : 143;
    case "running":
    case "waiting":
      throw new Error(`run ${run.id} has not ended`);
  }
}
