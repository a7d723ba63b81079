import { RaymondError } from "../core/errors.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { RunId } from "../core/machine/run-state.ts";

/** A conversation is to be opened where nobody can talk. */
export class NoTerminalError extends RaymondError {
  override readonly name = "NoTerminalError";
  readonly code = "cli/no-terminal";

  constructor() {
    super("A conversation is opened in a terminal, and there is none here.", {
      hint: "Call raymond open in a terminal, with nothing piped into it or out of it. `raymond status` shows the line that opens a conversation elsewhere.",
    });
  }
}

/** The agent has no conversation that could be opened. */
export class NoConversationError extends RaymondError {
  override readonly name = "NoConversationError";
  readonly code = "run/no-conversation";

  /** `state`: where it stands. */
  constructor(run: RunId, agent: AgentId, state: string, isScript: boolean) {
    const why = isScript ? "a script, and no prompt came before it" : "which begins a new one";
    super(`${agent} has no conversation: it stands at ${state}, ${why}.`, {
      hint: `\`raymond show ${run} --agent ${agent}\` shows its steps so far; those of prompts have conversations, which --step shows how to open.`,
    });
  }
}

/** The conversation is known, and neither the client nor the run has it any more. */
export class ConversationGoneError extends RaymondError {
  override readonly name = "ConversationGoneError";
  readonly code = "run/conversation-gone";

  constructor(run: RunId, agent: AgentId, session: string, copies: string) {
    super(`The conversation ${session} of ${agent} is gone: the client has it no more.`, {
      hint: `The run has no copy of it in ${copies} either. \`raymond show ${run} --agent ${agent}\` shows what the event log has kept.`,
    });
  }
}

/** The backend of the run has no conversations that a person could open. */
export class NothingToOpenError extends RaymondError {
  override readonly name = "NothingToOpenError";
  readonly code = "run/nothing-to-open";

  constructor(run: RunId, backend: string) {
    super(`The run ${run} has no conversations to open: its prompts are answered by ${backend}.`, {
      hint: `\`raymond show ${run}\` shows what was said.`,
    });
  }
}

/** More than one agent of the run has a conversation. */
export class WhichAgentError extends RaymondError {
  override readonly name = "WhichAgentError";
  readonly code = "run/which-agent";

  constructor(run: RunId, agents: readonly AgentId[]) {
    super(`The run ${run} has several agents: ${agents.join(", ")}.`, {
      hint: `Name one: raymond open ${run} ${agents[0] ?? ""}`,
    });
  }
}

/** Somebody else has the conversation open. */
export class OpenAlreadyError extends RaymondError {
  override readonly name = "OpenAlreadyError";
  readonly code = "run/open-already";

  constructor(agent: AgentId, since: string, folder: string) {
    super(`The conversation of ${agent} is open by hand already, since ${since}.`, {
      hint: `Leave it there first. If nobody has it open any more, remove its file in ${folder}.`,
    });
  }
}

/** A script is to be interrupted so that its agent's conversation can be opened. */
export class ScriptRunsError extends RaymondError {
  override readonly name = "ScriptRunsError";
  readonly code = "run/script-runs";

  constructor(run: RunId, agent: AgentId, state: string) {
    super(`${agent} runs ${state}, a script: there is nothing to say to it.`, {
      hint: `Without --now raymond waits until it ends: raymond open ${run} ${agent}`,
    });
  }
}

/** The agent has ended while somebody waited for its conversation. */
export class AgentEndedError extends RaymondError {
  override readonly name = "AgentEndedError";
  readonly code = "run/agent-ended";

  constructor(run: RunId, agent: AgentId) {
    super(`${agent} has ended, and nothing goes on from its conversation any more.`, {
      hint: `Look at it by the same command: raymond open ${run} ${agent}`,
    });
  }
}

/** The process that holds the run does not give the agent. */
export class NotKeptError extends RaymondError {
  override readonly name = "NotKeptError";
  readonly code = "run/not-kept";

  constructor(run: RunId, pid: number) {
    super(`The process ${String(pid)}, which holds the run ${run}, has not reacted.`, {
      hint: `It may be an older raymond, which knows nothing of raymond open, or be stopped. Stop the run, open the conversation, and resume it: raymond stop ${run}`,
    });
  }
}

/** The client could not be started in this terminal. */
export class ClientNotStartedError extends RaymondError {
  override readonly name = "ClientNotStartedError";
  readonly code = "claude/unusable";

  constructor(command: string, cwd: string, problem: string) {
    super(`${command} could not be started in ${cwd}: ${problem}.`, {
      hint: "Look whether that folder is there, and whether the client can be called by hand.",
    });
  }
}
