/**
 * The library's public face (docs/library.md): what the commands do with runs, as functions and as what an
 * opened run can do; and the pure language and machine, for tools that read workflows, state files and
 * event logs. The command line is not part of it.
 */

export {
  type Explained,
  type ExplainOptions,
  explain,
} from "./author/explain.ts";
export { type LintOptions, type LintReport, lint, type ShownFinding } from "./author/lint.ts";
export {
  type Divergence,
  type Replay,
  type ReplayOptions,
  replay,
} from "./author/replay.ts";
export type { Settings } from "./config/switches.ts";
export type { LockHolder, RunSummary } from "./engine/ports/store.ts";
export { type DamagedRun, inspectDamaged } from "./inspect/damaged-run.ts";
export {
  GRAPH_FORMATS,
  type GraphFormat,
  type GraphOptions,
  graph,
  printGraph,
  type TitledGraph,
} from "./inspect/graph.ts";
export {
  type ComparedRun,
  type DiffOptions,
  diffRuns,
  type RunsDiff,
} from "./inspect/history/diff-runs.ts";
export {
  type ShowOptions,
  type StepDetail,
  show,
  showStep,
  type Timeline,
} from "./inspect/history/show.ts";
export { list, type RunList } from "./inspect/list.ts";
export { outline } from "./inspect/outline.ts";
export { type RunReport, reportRun } from "./inspect/run-report.ts";
export { type RunView as Inspection, readRun, type ShownStatus } from "./inspect/run-view.ts";
export { type AgentWhy, type Evidence, type Why, why } from "./inspect/why.ts";
export { RaymondError } from "./language/basics/errors.ts";
export type {
  Destination,
  Outline,
  OutlinedMove,
  OutlinedState,
  Role,
} from "./language/outline/outline.ts";
export { possibleMoves, reachableFrom } from "./language/outline/outline.ts";
export type { Fault } from "./language/protocol/fault.ts";
export { type Parsed, readTransitions } from "./language/protocol/output-elements.ts";
export { printTransition } from "./language/protocol/print.ts";
export { readReply } from "./language/protocol/reply.ts";
export { OutputScanner } from "./language/protocol/scan/scan.ts";
export type { StateName, Tag, Transition } from "./language/protocol/transition.ts";
export { parseStateFile } from "./language/workflow/files/parse-state-file.ts";
export type { PromptFile, ScriptFile, StateFile } from "./language/workflow/files/state-file.ts";
export type { RunsDivergence } from "./log/agent-moves.ts";
export type { LoggedEvent } from "./log/codec/logged-event.ts";
export type { Agent, Frame, Session } from "./machine/model/agent.ts";
export type { Event, EventType } from "./machine/model/event.ts";
export type { RunSettings, RunState, RunStatus, StopReason } from "./machine/model/run-state.ts";
export type { Answered } from "./run/answer.ts";
export type { Retried } from "./run/control/retry.ts";
export type { Stopped } from "./run/control/stop.ts";
export type { Stopping } from "./run/control/stop-after-steps.ts";
export {
  type RerunRunOptions,
  type ResumeRunOptions,
  rerunRun,
  resumeRun,
  type StartRunOptions,
  startRun,
} from "./run/driven-run.ts";
export { type EventsOptions, type OpenedRun, openRun } from "./run/manual/opened-run.ts";
export { type PruneOptions, prune } from "./run/prune.ts";
export { type Caller, thisProcess } from "./wire/caller.ts";
export { BrokenOffError } from "./wire/errors.ts";
export type { Place, Wanted, WantedAgents } from "./wire/stores.ts";
