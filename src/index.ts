/**
 * The library's public face: the pure language and machine, for tools that
 * read workflows, state files and event logs. The command line is not part of it.
 */
export { RaymondError } from "./core/errors.ts";
export type { Agent, Frame, Session } from "./core/machine/agent.ts";
export type { Event, EventType } from "./core/machine/event.ts";
export type { RunSettings, RunState, RunStatus, StopReason } from "./core/machine/run-state.ts";
export type { Fault } from "./core/protocol/fault.ts";
export { printTransition } from "./core/protocol/print.ts";
export { readReply } from "./core/protocol/reply.ts";
export { type Parsed, readTransitions } from "./core/protocol/row.ts";
export { OutputScanner } from "./core/protocol/scan.ts";
export type { StateName, Tag, Transition } from "./core/protocol/transition.ts";
export { parseStateFile } from "./core/workflow/parse-state-file.ts";
export type { PromptFile, ScriptFile, StateFile } from "./core/workflow/state-file.ts";
