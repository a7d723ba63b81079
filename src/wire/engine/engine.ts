import { mkdir } from "node:fs/promises";
import { simulatedAnswers } from "../../clients/simulation/answers.ts";
import type { Simulation } from "../../clients/simulation/scenario.ts";
import { fanOut } from "../../console/fan-out.ts";
import { notifyObserver } from "../../console/notify.ts";
import type { Engine } from "../../engine/engine.ts";
import { executorByKind } from "../../engine/executors/by-kind.ts";
import { promptExecutor } from "../../engine/executors/prompt.ts";
import { scriptExecutor } from "../../engine/executors/script.ts";
import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Observer } from "../../engine/ports/observer.ts";
import type { Snapshots } from "../../engine/ports/snapshots.ts";
import type { Worktrees } from "../../engine/ports/worktrees.ts";
import { steadyClock } from "../../engine/steady-clock.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { debugFiles, noDebug } from "../../log/debug-files.ts";
import type { Actor } from "../../machine/model/actor.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { RunId, RunSettings, RunState } from "../../machine/model/run-state.ts";
import { type Library, openLibrary } from "../../scopes/library.ts";
import { AgentWorktrees } from "../../workspaces/agent-worktrees.ts";
import { workspaceErrors } from "../../workspaces/errors.ts";
import { gitBy } from "../../workspaces/git.ts";
import { RepositoryGuard } from "../../workspaces/repository-guard.ts";
import { RunSnapshots, type RunSnapshotsOptions } from "../../workspaces/run-snapshots.ts";
import type { Caller } from "../caller.ts";
import { keepChangedFiles, readChangedFiles } from "../changed-files.ts";
import type { Checked } from "../client.ts";
import type { RunSource } from "../run-source.ts";
import { type System, systemFolders, systemIds, systemPlatform } from "../system/system.ts";
import { userStateFolder } from "../trust/user-state-folder.ts";
import { scopeIn } from "../workflow.ts";
import { clientEnvironment, inherited, inheritedByScripts, type Prompting } from "./inherited.ts";
import { manualSessionsIn } from "./manual-sessions.ts";
import { openBackends } from "./open-backends.ts";
import { declareAll, declaring, openSecrets, redacted } from "./open-secrets.ts";

/** Facts about a run in progress, for its observers. */
export interface RunFacts {
  readonly id: RunId;
  readonly program: string;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** The launch folder. */
  readonly cwd: string;
  /** The debug file of the last attempt of an agent; null without one. */
  readonly debugFile: (agent: AgentId) => string | null;
  readonly source: (state: StateName) => string;
}

export interface Watching {
  /** Called once, after all checks and before the first step. */
  readonly watch: (facts: RunFacts) => readonly Observer[];
  /** Receives warnings as sentences. */
  readonly warn: (message: string) => void;
}

export interface Wiring {
  readonly id: RunId;
  readonly store: RunSource;
  readonly workflow: Pick<RunState["workflow"], "kind" | "path">;
  /** The folder that holds its states. */
  readonly scopeDir: string;
  /** The folder that the run works in. */
  readonly launchDir: string;
  readonly settings: RunSettings;
  readonly backend: string;
  /** Answers prompts; null: the backend does. */
  readonly simulation: Simulation | null;
  /** Paths of the clients that were checked, by coding agent. */
  readonly clients: Readonly<Record<string, string>>;
  /** Checks of their logins that are in progress; absent: none. */
  readonly logins?: Checked["logins"];
  /** The launch folder; of a worktree, that of its checkout. */
  readonly origin: string;
  readonly lostSession: "fail" | "fresh";
  /** `here`: no earlier process has started steps of this run. */
  readonly startedBy: "here" | "before";
  /** The user or the workflow chose the steps with snapshots; absent: unknown. */
  readonly requestsSnapshots?: boolean;
  readonly program: string;
  readonly prompting?: Prompting | undefined;
  /** Who started or resumed the run. Default: the caller. */
  readonly actor?: Actor | undefined;
}

export interface Wired {
  readonly engine: Engine;
  /** Writes out logs and debug files. Never rejects. */
  close(): Promise<void>;
}

/** The composition root: chooses the implementations for a run. */
export async function wire(wiring: Wiring, watching: Watching, caller: Caller): Promise<Wired> {
  const { id, store, settings, simulation, prompting } = wiring;
  const { warn } = watching;
  const system = await caller.system();
  const { processes, disk } = system;
  const clock = steadyClock(system.clock);
  const artifacts = await store.artifacts(id);
  const start = processes.recordSteps(processes.start, artifacts.groups);
  const secrets = openSecrets(settings, caller, warn, prompting);
  const platform = systemPlatform();
  const debug = settings.debug ? debugFiles(artifacts.debug, { clock, warn }) : null;
  const { backends, observer: ofBackends } = openBackends(wiring.backend, {
    ...{
      settings,
      clients: wiring.clients,
      logins: wiring.logins ?? {},
      origin: wiring.origin,
      simulation,
    },
    ...{ artifacts, files: system.kept, clock, start, secrets, warn },
    env: inherited(clientEnvironment(caller, prompting)),
    always: Object.keys(prompting?.env ?? {}),
    lostAdvice: store.lostAdvice,
  });
  const workflows = workflowsOf(wiring, artifacts, caller);
  await workflows.recordStates();
  await declareAll(secrets, workflows, wiring.startedBy);
  store.maskConversations?.((write) => secrets.mask(write));
  const facts: RunFacts = {
    ...{ id, program: wiring.program, clock, cwd: caller.cwd },
    debugFile: (agent) => debug?.mainFile(agent) ?? null,
    source: (state) => workflows.source(state),
  };
  const notify = await notifiers(settings, clock, warn, caller);
  const logs = [await store.eventWriter(id, clock, warn), ...(debug === null ? [] : [debug])];
  const observer = fanOut([...watching.watch(facts), ...logs, ofBackends, ...notify], warn);
  const journal = await store.openJournal(id, warn);
  const answers = await store.answers(id, warn);
  const earlier = wiring.startedBy === "here" ? process.pid : null;
  const epoch = store.epoch(id);
  const tempDir = async () => {
    await mkdir(artifacts.payloads, { recursive: true, mode: 0o700 });
    return artifacts.payloads;
  };
  const git = gitBy(processes.start, caller.env, artifacts.snapshots);
  const guard = new RepositoryGuard();
  if (store.inProject) guard.check(wiring.launchDir);
  const trees = { git, guard, folder: artifacts.snapshots, without: [artifacts.root] };
  const snapshots = snapshotsOf(wiring, trees, system);
  const prompts = promptExecutor(backends, clock.elapsed);
  const engine: Engine = {
    ...{ workflows, store, journal, observer, clock, epoch, backends, platform },
    executor: declaring(
      secrets,
      executorByKind({
        prompt: prompting?.around?.(prompts) ?? prompts,
        script: scriptExecutor({
          ...{ env: inheritedByScripts(caller.env), platform, tempDir },
          stepUser: system.stepUser ?? null,
          start: secrets.starting(start),
        }),
      }),
    ),
    manualSessions: manualSessionsIn(artifacts.manualSessions, system),
    answers: simulation === null ? answers : simulatedAnswers(simulation, answers, warn),
    lastEventSeq: () => store.lastEvent(id),
    ids: systemIds,
    folders: systemFolders,
    orphans: processes.orphans(artifacts.groups, earlier, epoch),
    recorder: (step) => (debug === null ? noDebug : redacted(debug.recorder(step), secrets)),
    random: Math.random,
    snapshots,
    worktrees: store.inProject
      ? new AgentWorktrees({ ...trees, stateFolder: userStateFolder(caller.env) })
      : NO_WORKTREES,
    actor: wiring.actor ?? caller.actor(),
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

/**
 * Undefined without snapshots: prompts of a simulation change no files, and files of another user are not
 * accessible (a fleet makes its own snapshots).
 */
function snapshotsOf(
  { id, settings, simulation, launchDir, requestsSnapshots = false }: Wiring,
  trees: Pick<RunSnapshotsOptions, "git" | "guard" | "folder" | "without">,
  { stepUser }: System,
): Snapshots | undefined {
  const { snapshots: mode } = settings;
  if (mode === "off" || stepUser !== undefined) return undefined;
  if (mode === "prompts" && simulation !== null) return undefined;
  const isRequested = requestsSnapshots || mode === "all";
  return new RunSnapshots({ run: id, mode, launchDir, ...trees, isRequested });
}

/** The files of an agent stay on the machine that made them, so a fleet has no worktrees of agents. */
const NO_WORKTREES: Worktrees = {
  place: () => Promise.reject(workspaceErrors["workspace/fleet"]()),
  ensure: () => Promise.reject(workspaceErrors["workspace/fleet"]()),
  end: (_, { branch }) => Promise.resolve({ branch, kept: "it is on another machine" }),
};

function workflowsOf(
  { workflow: { kind, path }, scopeDir, settings }: Wiring,
  artifacts: Artifacts,
  caller: Caller,
): Library {
  return openLibrary({
    started: { kind, path, scope: scopeIn(kind, scopeDir) },
    ...{ workflowPath: settings.workflowPath, platform: systemPlatform() },
    copies: artifacts.workflows,
    stateRoot: artifacts.root,
    detectChangesSince: caller.now(),
    changedFiles: readChangedFiles(artifacts.changedFiles),
  });
}

/** Runs the command of `--notify`. */
async function notifiers(
  { notify: command }: RunSettings,
  clock: Clock,
  warn: Watching["warn"],
  caller: Caller,
): Promise<readonly Observer[]> {
  if (command === null) return [];
  const platform = systemPlatform();
  const { start } = (await caller.system()).processes;
  const env = inherited(caller.env);
  return [notifyObserver({ command, env, platform, start, clock, warn })];
}
