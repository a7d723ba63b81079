/**
 * The library's public face (docs/library.md): what the commands do with runs, as functions; and the pure
 * language and machine, for tools that read workflows, state files and event logs. The command line is
 * not part of it.
 */
export type { Settings } from "./config/switches.ts";
export { RaymondError } from "./core/errors.ts";
export type { Agent, Frame, Session } from "./core/machine/agent.ts";
export type { Event, EventType } from "./core/machine/event.ts";
export type { RunSettings, RunState, RunStatus, StopReason } from "./core/machine/run-state.ts";
export type {
  Destination,
  Outline,
  OutlinedMove,
  OutlinedState,
  Role,
} from "./core/outline/outline.ts";
export { possibleMoves, reachableFrom } from "./core/outline/reach.ts";
export type { Fault } from "./core/protocol/fault.ts";
export { printTransition } from "./core/protocol/print.ts";
export { readReply } from "./core/protocol/reply.ts";
export { type Parsed, readTransitions } from "./core/protocol/row.ts";
export { OutputScanner } from "./core/protocol/scan.ts";
export type { StateName, Tag, Transition } from "./core/protocol/transition.ts";
export { parseStateFile } from "./core/workflow/parse-state-file.ts";
export type { PromptFile, ScriptFile, StateFile } from "./core/workflow/state-file.ts";
export type { Observer } from "./ports/observer.ts";
export type { LockHolder, RunSummary } from "./ports/store.ts";
export { type Answered, type AnswerOptions, answer } from "./runs/answer.ts";
export { type Caller, thisProcess } from "./runs/caller.ts";
export { type DamagedRun, inspectDamaged } from "./runs/damaged-run.ts";
export {
  type ComparedRun,
  type DiffOptions,
  diffRuns,
  type RunsDeparture,
  type RunsDiff,
} from "./runs/diff-runs.ts";
export type { Driving, Facts } from "./runs/driving.ts";
export { BrokenOffError } from "./runs/errors.ts";
export {
  type Explained,
  type ExplainOptions,
  explain,
} from "./runs/explain.ts";
export {
  GRAPH_FORMATS,
  type GraphFormat,
  type GraphOptions,
  graph,
  printGraph,
  type TitledGraph,
} from "./runs/graph.ts";
export { type Inspection, inspect, type ShownStatus } from "./runs/inspect.ts";
export { type LintOptions, type LintReport, lint, type ShownFinding } from "./runs/lint.ts";
export { list, type RunList } from "./runs/list.ts";
export { type EventLine, type LogPiece, type LogsOptions, logs, type RunLog } from "./runs/logs.ts";
export { outline } from "./runs/outline.ts";
export { type PruneOptions, prune } from "./runs/prune.ts";
export { type Departure, type Replay, type ReplayOptions, replay } from "./runs/replay.ts";
export { type RerunOptions, rerun } from "./runs/rerun.ts";
export { type ResumeOptions, resume } from "./runs/resume.ts";
export { type Retried, retryNow } from "./runs/retry-now.ts";
export { type RunReport, reportRun } from "./runs/run-report.ts";
export {
  type ShowOptions,
  type StepDetail,
  show,
  showStep,
  type Timeline,
} from "./runs/show.ts";
export { type StartOptions, start } from "./runs/start.ts";
export { type StopOptions, type Stopped, stop, type Told } from "./runs/stop.ts";
export { type Stopping, stopAfterSteps } from "./runs/stop-after-steps.ts";
export { type WantedAgents, type Woken, wake } from "./runs/wake.ts";
export { type AgentWhy, type Evidence, type Why, why } from "./runs/why.ts";
export type { Place, Wanted } from "./runs/wire/stores.ts";
