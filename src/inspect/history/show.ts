import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { Blocker, LockHolder } from "../../engine/ports/store.ts";
import { LIMITS, readRegularFile, readTextFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { Conversation } from "../../log/event-history.ts";
import {
  type LoggedStep,
  type LoggedSteps,
  readSteps,
  type StepQuery,
} from "../../log/logged-steps.ts";
import { isTruncated } from "../../log/truncate.ts";
import { runningOf } from "../../machine/activity.ts";
import type { AgentId } from "../../machine/agent.ts";
import type { RunState } from "../../machine/run-state.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import { messagesIn } from "../../wire/engine/said.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { nameRun, type Wanted, type WantedAgents } from "../../wire/stores.ts";
import { debugFilesOf } from "../debug-file.ts";
import { inspectErrors } from "../errors.ts";
import { requireAgent, type ShownStatus, shownStatus, statusIn } from "../inspect.ts";
import { isOpenedByHand } from "../report.ts";
import { type LastKnown, lastKnown } from "./last-known.ts";

/** Which steps: of one agent or of all, the last ones, or the last before one. */
export interface ShowOptions extends WantedAgents {
  readonly before?: number | undefined;
  /** Maximum number of steps. */
  readonly limit: number;
}

/** Steps of a run, in the order of their starts. */
export interface Timeline extends LoggedSteps, LastKnown {
  /** How the user calls raymond for this run. */
  readonly program: string;
  readonly status: ShownStatus;
  /** The numbers of those that run. */
  readonly running: ReadonlySet<number>;
  /** What keeps it in its queue; nothing of any other. */
  readonly heldUp?: readonly Blocker[] | undefined;
}

/** What there is to know of one step. */
export interface StepDetail extends LastKnown {
  readonly step: LoggedStep;
  readonly isRunning: boolean;
  /** As it was sent; null of a script, and where its file is gone. */
  readonly prompt: string | null;
  /** The messages of the model: whole, where its stream was kept. */
  readonly said: readonly string[];
  /** What a script has written. */
  readonly stdout: string;
  readonly stderr: string;
  /** The debug files that are there, by what their names end with. */
  readonly files: ReadonlyMap<string, string>;
  /** What opens its conversation; null of a script, and where no person can open it. */
  readonly conversation: Conversation | null;
}

/** A run that was named. */
interface FoundRun extends RunFiles {
  readonly status: ShownStatus;
  readonly store: RunSource;
}

export interface RunFiles extends LastKnown {
  readonly artifacts: Artifacts;
  readonly program: string;
  readonly holder: LockHolder | null;
}

/** The timeline of a run, of which no more is read than is shown. Rejects with a RaymondError. */
export async function show(
  options: ShowOptions,
  caller: Caller = thisProcess(),
): Promise<Timeline> {
  const { status, store, ...files } = await find(options, caller);
  const heldUp = status === "queued" ? await store.queue.waitReasons(files.run.id) : [];
  return { ...timelineOf(files, options), status, heldUp };
}

/** The same of a run that was found. */
export function timelineOf(
  { run, damage, artifacts, program, holder }: RunFiles,
  { agent, before = Number.POSITIVE_INFINITY, limit }: Omit<ShowOptions, keyof Wanted>,
): Timeline {
  requireAgent(run, agent, artifacts.events);
  const wants: StepQuery["matches"] = (whose, process) =>
    process < before && (agent === undefined || whose === agent);
  const read = stepsIn(run, artifacts, { matches: wants, limit, withActivity: false });
  const status = shownStatus(run, holder);
  return { ...read, run, damage, program, status, running: runningIn(run, holder) };
}

/** One step, by the number of its process. Rejects with a RaymondError. */
export async function showStep(
  wanted: WantedAgents & { readonly step: number },
  caller: Caller = thisProcess(),
): Promise<StepDetail> {
  return stepOf(await find(wanted, caller), wanted);
}

/** The same of a run that was found. */
export async function stepOf(
  { run, damage, artifacts, holder }: RunFiles,
  { agent, step: number }: { readonly agent?: AgentId | undefined; readonly step: number },
): Promise<StepDetail> {
  requireAgent(run, agent, artifacts.events);
  const wants: StepQuery["matches"] = (_, process) => process === number;
  const [step] = stepsIn(run, artifacts, { matches: wants, limit: 1, withActivity: true }).steps;
  const whose = step?.started.event.agent ?? null;
  if (step === undefined || (agent !== undefined && whose !== agent)) {
    throw inspectErrors["run/unknown-step"](run, number, whose);
  }
  const files = debugFilesOf(step, artifacts.debug);
  return {
    run,
    damage,
    step,
    isRunning: runningIn(run, holder).has(number),
    prompt: await textOf(files.get(".prompt.md")),
    said: await saidIn(step, files),
    stdout: (await textOf(files.get(".stdout.txt"))) ?? outputOf(step, "stdout"),
    stderr: (await textOf(files.get(".stderr.txt"))) ?? outputOf(step, "stderr"),
    files,
    conversation: conversationOf(step, run),
  };
}

async function find(wanted: Wanted, caller: Caller): Promise<FoundRun> {
  const { id, store, program } = await nameRun(wanted, caller);
  const { run, damage } = await lastKnown(store, id);
  const artifacts = await store.artifacts(id);
  const holder = await store.holder(id);
  const status = await statusIn(store, run, holder);
  return { run, damage, artifacts, program, holder, status, store };
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

/** Null where the file is gone. */
async function textOf(file: string | undefined): Promise<string | null> {
  return file === undefined ? null : readTextFile(file, LIMITS.log).catch(() => null);
}

/**
 * The log contains the beginning of long messages; the client's stream, if it exists, has the full
 * text.
 */
async function saidIn(
  { activity: did }: LoggedStep,
  files: StepDetail["files"],
): Promise<readonly string[]> {
  const said = did.flatMap(({ event }) => (event.type === "step.message" ? event.text : []));
  const stream = files.get(".jsonl");
  if (stream === undefined || !said.some(isTruncated)) return said;
  const whole = await readRegularFile(stream, LIMITS.log).then(messagesIn, () => []);
  return whole.length === 0 ? said : whole;
}

function outputOf({ activity: did }: LoggedStep, stream: "stdout" | "stderr"): string {
  return did
    .flatMap(({ event }) =>
      event.type === "step.output" && event.stream === stream ? event.text : [],
    )
    .join("\n");
}

function conversationOf({ started, ended }: LoggedStep, run: RunState): Conversation | null {
  const { sessionId: session, cwd } = started.event;
  if (session === null || !isOpenedByHand(run)) return null;
  return { session, cwd, context: ended?.event.context ?? null };
}
