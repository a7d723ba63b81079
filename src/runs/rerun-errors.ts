import { RaymondError } from "../core/errors.ts";
import type { AgentId, SessionId } from "../core/machine/agent.ts";
import { originWords, type RerunOrigin, type RunId } from "../core/machine/run-state.ts";
import { nearest } from "../core/nearest.ts";
import { listed } from "../core/workflow/quote.ts";
import { extensionOf, stemOf } from "../core/workflow/state-name.ts";

/** A step is named that the record of a run does not reach back to. */
export class StepNotRecordedError extends RaymondError {
  override readonly name = "StepNotRecordedError";
  readonly code = "run/step-not-recorded";

  /** `first`: the number of the first one that it tells of. */
  constructor(run: RunId, step: number, first: number, origin: RerunOrigin | null) {
    const number = String(step);
    if (origin === null) {
      super(
        `The journal of the run ${run} was compacted, and tells of nothing before step ${String(first)}: ${number} cannot be begun from any more.`,
        { hint: `Begin at a later one: raymond show ${run} shows them.` },
      );
    } else {
      super(`The run ${run} has not made step ${number}: ${originWords(origin)}.`, {
        hint: `That one may have it: raymond rerun ${origin.run} --from ${number}`,
      });
    }
  }
}

/** A state is named that a run has never entered. */
export class NeverEnteredError extends RaymondError {
  override readonly name = "NeverEnteredError";
  readonly code = "run/never-entered";

  /**
   * `exists`: whether the workflow has such a state; `entered`: those that the run has entered, as far as
   * its record tells; `later`: why that does not reach back to its beginning, as the end of a sentence, or null.
   */
  constructor(
    run: RunId,
    state: string,
    exists: boolean,
    entered: readonly string[],
    later: string | null,
  ) {
    const names = extensionOf(state) === null ? entered.map(stemOf) : entered;
    // One of another workflow is meant by its full name.
    const near = names.find((name) => name.endsWith(`/${state}`)) ?? nearest(state, names);
    super(
      exists
        ? `The run ${run} has ${later === null ? "never" : "not"} entered the state ${state}${later === null ? "" : `, as far as it tells: ${later}`}.`
        : `The run ${run} has entered no state "${state}", and its workflow has none.`,
      {
        hint: `${near === null ? "" : `Did you mean ${near}? `}It has entered ${listed(entered)}.`,
      },
    );
  }
}

/** The workflow has lost a state in which, or before which, a run stood. */
export class StateLostError extends RaymondError {
  override readonly name = "StateLostError";
  readonly code = "run/state-lost";

  constructor(run: RunId, step: number, agent: AgentId, state: string, names: readonly string[]) {
    const near = nearest(state, names);
    super(
      `Before step ${String(step)} of the run ${run} its agent ${agent} was to come to ${state}, and the workflow has no such state any more.`,
      {
        hint: `${near === null ? "" : `Is it called ${near} now? `}Put the state back under its name, or begin before the run has come to it.`,
      },
    );
  }
}

/** A conversation that a rerun goes on with is gone, or it is not known how much of it there was. */
export class ConversationLostError extends RaymondError {
  override readonly name = "ConversationLostError";
  readonly code = "run/conversation-lost";

  /** `since`: the step that has gone on with it, and did not write down where; null: it is gone. */
  constructor(run: RunId, agent: AgentId, session: SessionId, since: number | null) {
    const hint = `Begin at a step before that conversation began: raymond show ${run} shows which step was in which state.`;
    super(
      since === null
        ? `The conversation ${session} of the agent ${agent} is gone: neither claude nor the run ${run} has it any more, as it was then.`
        : `It is not known how much of the conversation ${session} of the agent ${agent} there was: step ${String(since)}, which went on with it, was cut off with raymond, or is one of an older raymond.`,
      { hint },
    );
  }
}

/** A state is to be edited that lies in a zip, or in a copy that a run has made. */
export class NotEditableError extends RaymondError {
  override readonly name = "NotEditableError";
  readonly code = "run/not-editable";

  constructor(state: string, place: string) {
    super(`${state} lies in ${place}, and cannot be edited there.`, {
      hint: "Edit the folder that it was packed from, and pack it anew; or run the workflow from its folder.",
    });
  }
}

/** A file is to be edited, and no editor is named. */
export class NoEditorError extends RaymondError {
  override readonly name = "NoEditorError";
  readonly code = "run/no-editor";

  constructor(file: string) {
    super(`There is no editor to open ${file} with: neither VISUAL nor EDITOR is set.`, {
      hint: "Name one, as in EDITOR=nano raymond rerun …; or edit the file yourself, and leave --edit away.",
    });
  }
}

/** A file is to be edited, and nobody sits at a terminal. */
export class NoTerminalError extends RaymondError {
  override readonly name = "NoTerminalError";
  readonly code = "run/no-terminal";

  constructor() {
    super("--edit needs a terminal, and there is none.", {
      hint: "Edit the file of the state, then leave --edit away.",
    });
  }
}

/** The editor has ended badly, which is how people say that they want nothing of it. */
export class EditorFailedError extends RaymondError {
  override readonly name = "EditorFailedError";
  readonly code = "run/editor-failed";

  constructor(command: string, exitCode: number | null) {
    const how = exitCode === null ? "was ended by a signal" : `ended with ${String(exitCode)}`;
    super(`The editor (${command}) ${how}, so no run was started.`, {
      hint: "Give the same command again, or edit the file yourself and leave --edit away.",
    });
  }
}
