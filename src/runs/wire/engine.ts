import { mkdir } from "node:fs/promises";
import type { AgentId } from "../../core/machine/agent.ts";
import type { RunId, RunSettings } from "../../core/machine/run-state.ts";
import type { Engine } from "../../engine/engine.ts";
import { steadyClock } from "../../engine/steady-clock.ts";
import { executorByKind } from "../../executors/by-kind.ts";
import { promptExecutor } from "../../executors/prompt.ts";
import { scriptExecutor } from "../../executors/script.ts";
import { type DebugFiles, debugFiles, noDebug } from "../../observers/debug-files.ts";
import { eventLog, lastTold } from "../../observers/event-log.ts";
import { fanOut } from "../../observers/fan-out.ts";
import { notifyObserver } from "../../observers/notify.ts";
import type { Observer } from "../../ports/observer.ts";
import type { Store } from "../../ports/store.ts";
import { loadExeca } from "../../process/execa-child.ts";
import { type LibraryOptions, openLibrary } from "../../scopes/library.ts";
import { simulatedAnswers } from "../../simulation/answers.ts";
import type { Simulation } from "../../simulation/script.ts";
import { answerFiles } from "../../stores/answer-files.ts";
import type { Caller } from "../caller.ts";
import type { Hearing } from "../driving.ts";
import { clientEnvironment, type Prompting } from "../prompting.ts";
import { openBackend } from "./backends.ts";
import { inherited, inheritedByScripts } from "./inherited.ts";
import { openJournal } from "./journal.ts";
import { openingsIn } from "./openings.ts";
import { systemFolders, systemIds, systemPlatform } from "./system.ts";

/** What the composition of one run depends on. */
export interface Wiring {
  readonly id: RunId;
  readonly store: Store;
  readonly started: LibraryOptions["started"];
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
export async function wire(wiring: Wiring, hearing: Hearing, caller: Caller): Promise<Wired> {
  const { id, store, settings, program } = wiring;
  const { warn } = hearing;
  const { clock: wallClock, processes, kept, disk } = await caller.system();
  const clock = steadyClock(wallClock);
  const artifacts = await store.artifacts(id);
  const start = processes.recording(processes.start, artifacts.groups);
  const debug: DebugFiles | null = settings.debug
    ? debugFiles(artifacts.debug, { clock, warn })
    : null;
  const platform = systemPlatform();
  const env = inherited(caller.env);
  const { backend, observers: watching } = openBackend(wiring.backend, {
    ...{ settings, client: wiring.client, simulation: wiring.simulation },
    ...{ artifacts, files: kept, clock, start, warn },
    env: inherited(clientEnvironment(caller, wiring.prompting)),
    lostAdvice: store.remote?.lostAdvice ?? null,
  });
  const { notify, workflowPath } = settings;
  const workflows = openLibrary({
    ...{ started: wiring.started, workflowPath, platform },
    copies: artifacts.workflows,
    stateRoot: artifacts.root,
    detectChangesSince: caller.now(),
  });
  await workflows.recordStates();
  // While descriptors are there. For a client it is loaded: it was asked its version.
  if (notify !== null && platform === "unix") await loadExeca();
  const debugFile = (agent: AgentId) => debug?.telling(agent) ?? null;
  const observers: Observer[] = [
    ...hearing.watch({
      id,
      program,
      clock,
      cwd: caller.cwd,
      debugFile,
      answer: async (agent, text) =>
        (await import("../answer.ts")).answerHere(wiring, agent, text, caller),
      retryNow: async () => (await import("../retry-now.ts")).retryNamed(wiring, caller),
      stopAfterSteps: async () => (await import("../stop-after-steps.ts")).stopNamed(wiring),
      source: (state) => workflows.source(state),
    }),
    eventLog(artifacts.events, clock, warn),
    ...(store.remote === undefined ? [] : [store.remote.events(id, clock, warn)]),
    ...(debug === null ? [] : [debug]),
    ...watching,
    ...(notify === null
      ? []
      : [notifyObserver({ command: notify, env, platform, start: processes.start, clock, warn })]),
  ];
  const observer = fanOut(observers, warn);
  const journal = await openJournal(store, id, warn);
  const tempDir = async () => {
    await mkdir(artifacts.payloads, { recursive: true, mode: 0o700 });
    return artifacts.payloads;
  };
  const { simulation } = wiring;
  const persons = store.remote?.answers(id, warn) ?? answerFiles(disk, artifacts.answers, warn);
  const elder = wiring.begun === "here" ? process.pid : null;
  const epoch = store.remote?.epoch(id) ?? null;
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
    openings: openingsIn(artifacts.openings, { disk, processes }),
    answers: simulation === null ? persons : simulatedAnswers(simulation, persons, warn),
    lastTold: async () =>
      Math.max(lastTold(artifacts.events), (await store.remote?.lastTold(id)) ?? 0),
    clock,
    ids: systemIds,
    folders: systemFolders,
    leftovers: processes.leftovers(artifacts.groups, elder, epoch),
    epoch,
    backend,
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
