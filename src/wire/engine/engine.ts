import { mkdir } from "node:fs/promises";
import { simulatedAnswers } from "../../clients/simulation/answers.ts";
import type { Simulation } from "../../clients/simulation/script.ts";
import { fanOut } from "../../console/fan-out.ts";
import { notifyObserver } from "../../console/notify.ts";
import type { Engine } from "../../engine/engine.ts";
import { executorByKind } from "../../engine/executors/by-kind.ts";
import { promptExecutor } from "../../engine/executors/prompt.ts";
import { scriptExecutor } from "../../engine/executors/script.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Observer } from "../../engine/ports/observer.ts";
import { steadyClock } from "../../engine/steady-clock.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { type DebugFiles, debugFiles, noDebug } from "../../log/debug-files.ts";
import type { AgentId } from "../../machine/agent.ts";
import type { RunId, RunSettings } from "../../machine/run-state.ts";
import { loadExeca } from "../../process/children/execa-child.ts";
import { type LibraryOptions, openLibrary } from "../../scopes/library.ts";
import { openBackend } from "../backends.ts";
import type { Caller } from "../caller.ts";
import { keepChangedFiles, readChangedFiles } from "../changed-files.ts";
import type { RunSource } from "../run-source.ts";
import { systemFolders, systemIds, systemPlatform } from "../system/system.ts";
import { clientEnvironment, inherited, inheritedByScripts, type Prompting } from "./inherited.ts";
import { manualSessionsIn } from "./manual-sessions.ts";

/** Facts about a run in progress, for its observers. */
export interface RunFacts {
  readonly id: RunId;
  /** How the user calls raymond for this run. */
  readonly program: string;
  /** The time of its events. */
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** The launch folder. */
  readonly cwd: string;
  /** The debug file of the last attempt of an agent; null without one. */
  readonly debugFile: (agent: AgentId) => string | null;
  /** The file that defines a state. */
  readonly source: (state: StateName) => string;
}

/** The observers of a run. */
export interface Watching {
  /** Called once, after all checks and before the first step. */
  readonly watch: (facts: RunFacts) => readonly Observer[];
  /** Receives warnings as sentences. */
  readonly warn: (message: string) => void;
}

/** What the composition of one run depends on. */
export interface Wiring {
  readonly id: RunId;
  readonly store: RunSource;
  readonly started: LibraryOptions["started"];
  readonly settings: RunSettings;
  /** Name of the backend. */
  readonly backend: string;
  /** Set: prompts are answered from it. */
  readonly simulation: Simulation | null;
  /** Path of the client; null where no prompt needs it. */
  readonly client: string | null;
  readonly lostSession: "fail" | "fresh";
  /** `here`: a process of the run before this one started nothing. */
  readonly startedBy: "here" | "before";
  /** How the user calls raymond for this run. */
  readonly program: string;
  readonly prompting?: Prompting | undefined;
}

/** An engine, and what must be closed after it. */
export interface Wired {
  readonly engine: Engine;
  /** Writes out logs and debug files. Never rejects. */
  close(): Promise<void>;
}

/** The composition root: the only place that knows which implementations are real. */
export async function wire(wiring: Wiring, hearing: Watching, caller: Caller): Promise<Wired> {
  const { id, store, settings, program } = wiring;
  const { warn } = hearing;
  const { clock: wallClock, processes, kept, disk } = await caller.system();
  const clock = steadyClock(wallClock);
  const artifacts = await store.artifacts(id);
  const start = processes.recordSteps(processes.start, artifacts.groups);
  const debug: DebugFiles | null = settings.debug
    ? debugFiles(artifacts.debug, { clock, warn })
    : null;
  const platform = systemPlatform();
  const env = inherited(caller.env);
  const { backend, observers: watching } = openBackend(wiring.backend, {
    ...{ settings, client: wiring.client, simulation: wiring.simulation },
    ...{ artifacts, files: kept, clock, start, warn },
    env: inherited(clientEnvironment(caller, wiring.prompting)),
    lostAdvice: store.lostAdvice,
  });
  const { notify, workflowPath } = settings;
  const workflows = openLibrary({
    ...{ started: wiring.started, workflowPath, platform },
    copies: artifacts.workflows,
    stateRoot: artifacts.root,
    detectChangesSince: caller.now(),
    changedFiles: readChangedFiles(artifacts.changedFiles),
  });
  await workflows.recordStates();
  // While descriptors are there. For a client it is loaded: it was asked its version.
  if (notify !== null && platform === "unix") await loadExeca();
  const debugFile = (agent: AgentId) => debug?.mainFile(agent) ?? null;
  const observers: Observer[] = [
    ...hearing.watch({
      id,
      program,
      clock,
      cwd: caller.cwd,
      debugFile,
      source: (state) => workflows.source(state),
    }),
    await store.eventWriter(id, clock, warn),
    ...(debug === null ? [] : [debug]),
    ...watching,
    ...(notify === null
      ? []
      : [notifyObserver({ command: notify, env, platform, start: processes.start, clock, warn })]),
  ];
  const observer = fanOut(observers, warn);
  const journal = await store.openJournal(id, warn);
  const tempDir = async () => {
    await mkdir(artifacts.payloads, { recursive: true, mode: 0o700 });
    return artifacts.payloads;
  };
  const { simulation } = wiring;
  const persons = await store.answers(id, warn);
  const elder = wiring.startedBy === "here" ? process.pid : null;
  const epoch = store.epoch(id);
  const prompts = promptExecutor(backend, clock.elapsed);
  const engine: Engine = {
    workflows,
    executor: executorByKind({
      prompt: wiring.prompting?.around?.(prompts) ?? prompts,
      script: scriptExecutor({ env: inheritedByScripts(caller.env), platform, tempDir, start }),
    }),
    store,
    journal,
    observer,
    manualSessions: manualSessionsIn(artifacts.manualSessions, { disk, processes }),
    answers: simulation === null ? persons : simulatedAnswers(simulation, persons, warn),
    lastEventSeq: () => store.lastEvent(id),
    clock,
    ids: systemIds,
    folders: systemFolders,
    orphans: processes.orphans(artifacts.groups, elder, epoch),
    epoch,
    backend,
    platform,
    recorder: (step) => debug?.recorder(step) ?? noDebug,
    random: Math.random,
    lostSession: wiring.lostSession,
  };
  const close = async () => {
    journal.close();
    const changed = settings.changedFiles === "allow" ? new Map() : await workflows.changedFiles();
    await keepChangedFiles(artifacts.changedFiles, changed, disk, warn);
    await observer.close?.();
  };
  return { engine, close };
}
