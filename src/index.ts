/**
 * The library's public face (docs/library.md): what the commands do with runs, as functions and as what an
 * opened run can do; and the pure language and machine, for tools that read workflows, state files and
 * event logs. The command line is not part of it.
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
export type { LoggedEvent } from "./observers/logged-event.ts";
export type { LockHolder, RunSummary } from "./ports/store.ts";
export type { Answered } from "./runs/answer.ts";
export { type Caller, thisProcess } from "./runs/caller.ts";
export { type DamagedRun, inspectDamaged } from "./runs/damaged-run.ts";
export {
  type ComparedRun,
  type DiffOptions,
  diffRuns,
  type RunsDeparture,
  type RunsDiff,
} from "./runs/diff-runs.ts";
export {
  type RerunRunOptions,
  type ResumeRunOptions,
  rerunRun,
  resumeRun,
  type StartRunOptions,
  startRun,
} from "./runs/driven-run.ts";
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
export { type Inspection, inspect as readRun, type ShownStatus } from "./runs/inspect.ts";
export { type LintOptions, type LintReport, lint, type ShownFinding } from "./runs/lint.ts";
export { list, type RunList } from "./runs/list.ts";
export { type EventsOptions, type OpenedRun, openRun } from "./runs/opened-run.ts";
export { outline } from "./runs/outline.ts";
export { type PruneOptions, prune } from "./runs/prune.ts";
export { type Departure, type Replay, type ReplayOptions, replay } from "./runs/replay.ts";
export type { Retried } from "./runs/retry-now.ts";
export { type RunReport, reportRun } from "./runs/run-report.ts";
export {
  type ShowOptions,
  type StepDetail,
  show,
  showStep,
  type Timeline,
} from "./runs/show.ts";
export type { Stopped } from "./runs/stop.ts";
export type { Stopping } from "./runs/stop-after-steps.ts";
export type { WantedAgents, Woken } from "./runs/wake.ts";
export { type AgentWhy, type Evidence, type Why, why } from "./runs/why.ts";
export type { Place, Wanted } from "./runs/wire/stores.ts";
