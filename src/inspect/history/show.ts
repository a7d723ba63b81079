import { existsSync } from "node:fs";
import path from "node:path";
import type { Artifacts } from "../../engine/ports/artifacts.ts";
import { isSimulated } from "../../engine/ports/backend.ts";
import type { Blocker, LockHolder } from "../../engine/ports/store.ts";
import { LIMITS, readRegularFile, readTextFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { ENDINGS } from "../../log/debug-limit.ts";
import { debugName } from "../../log/debug-name.ts";
import type { Conversation } from "../../log/event-history.ts";
import { type LoggedCommand, readCommands } from "../../log/logged-commands.ts";
import {
  type LoggedStep,
  type LoggedSteps,
  readSteps,
  type StepQuery,
} from "../../log/logged-steps.ts";
import { mainDebugFile } from "../../log/step-files.ts";
import { isTruncated } from "../../log/truncate.ts";
import { runningOf } from "../../machine/model/activity.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { findAgent } from "../../wire/agents/agents.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import type { Wanted, WantedAgents } from "../../wire/stores.ts";
import { type FileChange, fileChanges } from "../../workspaces/changes.ts";
import { inspectErrors } from "../errors.ts";
import { readingFiles } from "../files/run-files.ts";
import {
  type LastKnown,
  type RunView,
  readLastKnown,
  requireAgent,
  type ShownStatus,
  shownStatus,
} from "../run-view.ts";

/** Which steps: of one agent or of all, the last ones, or the last before one. */
export interface ShowOptions extends WantedAgents {
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Steps of a run, in the order of their starts. */
export interface Timeline extends LoggedSteps, LastKnown {
  readonly program: string;
  readonly status: ShownStatus;
  readonly running: ReadonlySet<number>;
  /** Commands to the run, or to the agent. */
  readonly commands: readonly LoggedCommand[];
  /** Why a queued run waits. */
  readonly heldUp?: readonly Blocker[] | undefined;
}

export interface StepDetail extends LastKnown {
  readonly step: LoggedStep;
  readonly isRunning: boolean;
  /** The prompt that was sent; null for a script, and if its file is gone. */
  readonly prompt: string | null;
  /** The messages of the model, unabridged if its stream was kept. */
  readonly said: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  /** Existing debug files by their endings. */
  readonly files: ReadonlyMap<string, string>;
  /** Null for a script, and in a simulated run. */
  readonly conversation: Conversation | null;
  /** The files that it changed. Null without snapshots, or if git cannot read them. */
  readonly changes: readonly FileChange[] | null;
}

type FoundRun = Pick<RunView, "run" | "damage" | "artifacts" | "program" | "holder">;

/** Decodes only the steps and commands that it returns. Rejects with a RaymondError. */
export async function show(
  options: ShowOptions,
  caller: Caller = thisProcess(),
): Promise<Timeline> {
  const view = await readLastKnown(options, caller);
  const { status, waitReasons } = view;
  const heldUp = status === "queued" ? waitReasons : [];
  const commands = readCommands(view.artifacts.events);
  return { ...timelineOf(view, options, commands), status, heldUp };
}

export function timelineOf(
  { run, damage, artifacts, program, holder }: FoundRun,
  { agent, before = Number.POSITIVE_INFINITY, limit }: Omit<ShowOptions, keyof Wanted>,
  allCommands: readonly LoggedCommand[],
): Timeline {
  requireAgent(run, agent, artifacts.events);
  const matches: StepQuery["matches"] = (owner, process) =>
    process < before && (agent === undefined || owner === agent);
  const read = stepsIn(run, artifacts, { matches, limit, withActivity: false });
  const status = shownStatus(run, holder);
  const running = runningIn(run, holder);
  const commands = allCommands.filter(
    (each) => each.agent === null || agent === undefined || each.agent === agent,
  );
  return { ...read, run, damage, program, status, running, commands };
}

/** One step, by the number of its process. Rejects with a RaymondError. */
export async function showStep(
  wanted: WantedAgents & { readonly step: number },
  caller: Caller = thisProcess(),
): Promise<StepDetail> {
  return stepOf(await readLastKnown(wanted, caller), wanted, caller);
}

export async function stepOf(
  { run, damage, artifacts, holder }: FoundRun,
  { agent, step: number }: { readonly agent?: AgentId | undefined; readonly step: number },
  caller: Caller,
): Promise<StepDetail> {
  requireAgent(run, agent, artifacts.events);
  const matches: StepQuery["matches"] = (_, process) => process === number;
  const [step] = stepsIn(run, artifacts, { matches, limit: 1, withActivity: true }).steps;
  const owner = step?.started.event.agent ?? null;
  if (step === undefined || (agent !== undefined && owner !== agent)) {
    throw inspectErrors["run/unknown-step"](run, number, owner);
  }
  const files = debugFilesOf(step, artifacts.debug);
  const { event: started } = step.started;
  return {
    ...{ run, damage, step, files },
    isRunning: runningIn(run, holder).has(number),
    prompt: await textOf(files.get(".prompt.md")),
    said: await messagesOf(step, files, started.backend ?? run.backend),
    stdout: (await textOf(files.get(".stdout.txt"))) ?? outputOf(step, "stdout"),
    stderr: (await textOf(files.get(".stderr.txt"))) ?? outputOf(step, "stderr"),
    conversation: conversationOf(step, run),
    changes: await changesOf(step, run, caller),
  };
}

async function changesOf(
  { started, ended }: LoggedStep,
  { launchDir }: RunState,
  caller: Caller,
): Promise<readonly FileChange[] | null> {
  const changes = ended?.event.changes;
  if (changes === undefined) return null;
  const { base, snapshot, files } = changes;
  if (files === 0) return [];
  const read = readingFiles([started.event.cwd, launchDir], caller, (plain) =>
    fileChanges(base, snapshot, plain),
  );
  return read.catch(() => null);
}

function runningIn({ agents }: RunState, holder: LockHolder | null): ReadonlySet<number> {
  return new Set(holder === null ? [] : agents.flatMap((agent) => runningOf(agent)?.process ?? []));
}

function stepsIn({ id }: RunState, { events }: Artifacts, wanted: StepQuery): LoggedSteps {
  try {
    return readSteps(events, wanted);
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw inspectErrors["run/no-event-log"](id, events);
    throw error;
  }
}

type StartedStep = Pick<LoggedStep, "started">;

/** The existing debug files of a step, by their endings. */
function debugFilesOf({ started: { event } }: StartedStep, folder: string): StepDetail["files"] {
  const base = path.join(folder, debugName(event.agent, event.state, event.process));
  const files = ENDINGS.map((ending) => [ending, base + ending] as const);
  return new Map(files.filter(([, file]) => existsSync(file)));
}

/** The most useful file about a failure; null if none is left. */
export function failureFile(step: StartedStep, folder: string): string | null {
  const files = debugFilesOf(step, folder);
  return files.get(mainDebugFile((ending) => files.has(ending))) ?? null;
}

/** Null if the file is gone. */
async function textOf(file: string | undefined): Promise<string | null> {
  return file === undefined ? null : readTextFile(file, LIMITS.log).catch(() => null);
}

/**
 * The log contains the first part of long messages; the client's stream, if it exists, has the full
 * text.
 */
async function messagesOf(
  { activity }: LoggedStep,
  files: StepDetail["files"],
  backend: string,
): Promise<readonly string[]> {
  const logged = activity.flatMap(({ event }) => (event.type === "step.message" ? event.text : []));
  const stream = files.get(".jsonl");
  const agent = findAgent(backend);
  if (stream === undefined || agent === null || !logged.some(isTruncated)) return logged;
  const whole = await readRegularFile(stream, LIMITS.log).then(agent.messagesIn, () => []);
  return whole.length === 0 ? logged : whole;
}

function outputOf({ activity }: LoggedStep, stream: "stdout" | "stderr"): string {
  return activity
    .flatMap(({ event }) =>
      event.type === "step.output" && event.stream === stream ? event.text : [],
    )
    .join("\n");
}

function conversationOf({ started, ended }: LoggedStep, run: RunState): Conversation | null {
  const { sessionId: session, cwd, backend } = started.event;
  if (session === null || isSimulated(run.backend)) return null;
  return { session, cwd, context: ended?.event.context ?? null, backend };
}
