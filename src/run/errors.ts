import { basename, dirname } from "node:path";
import { localTime } from "../console/local-time.ts";
import { shellWord } from "../console/shell-word.ts";
import { createError, defineErrors, type RaymondError } from "../language/basics/errors.ts";
import { formatUsd, type MicroUsd } from "../language/basics/money.ts";
import { nearest } from "../language/basics/nearest.ts";
import { excerpt } from "../language/protocol/scan/excerpt.ts";
import { extensionOf, stemOf } from "../language/workflow/files/state-name.ts";
import { listed } from "../language/workflow/quote.ts";
import type { AgentId, SessionId } from "../machine/model/agent.ts";
import type { Answer } from "../machine/model/answer.ts";
import type { Failure } from "../machine/model/failure.ts";
import {
  describeOrigin,
  type RerunOrigin,
  type RunId,
  type RunState,
} from "../machine/model/run-state.ts";
import { formatAnswer } from "../machine/moves/question.ts";
import type { StepTarget } from "../machine/moves/set-result.ts";

export const runErrors = defineErrors({
  "cli/run-exists": (id: RunId, existing: RunId) => ({
    message: `Run ${id} already exists${id === existing ? "" : ` as ${existing}. Some systems do not distinguish upper and lower case`}.`,
    hint: `Choose another id, or resume the run with: raymond resume ${existing}`,
  }),
  "cli/bad-variable": (given: string, problem: string) => ({
    message: `Invalid --var ${given.slice(0, 80)}: ${problem}`,
    hint: "Write --var name=value. Names consist of letters, digits and _, and some are reserved (docs/protocol.md).",
  }),
  /** The sandbox of a conversation is not possible. */
  "run/sandbox": ({ message, hint }: Failure) => ({ message, hint: hint ?? undefined }),
  "run/completed": (id: RunId, result: string | null) => ({
    message: `Run ${id} has already completed${result === null || result === "" ? " without a result." : `. Its result: ${result}`}`,
    hint: "Start a new run with: raymond WORKFLOW",
  }),
  /** `enough`: a sufficient budget, in dollars; null if the run has one. */
  "run/budget-spent": (
    id: RunId,
    spentMicroUsd: MicroUsd,
    givenMicroUsd: MicroUsd,
    enough: string | null,
  ) => ({
    message: `Run ${id} has already spent ${formatUsd(spentMicroUsd)}, so a total budget of ${formatUsd(givenMicroUsd)} is too small.`,
    hint:
      enough === null
        ? "Set a larger budget, or omit the flag: the current budget of the run is sufficient."
        : `Set a larger budget: --budget ${enough}`,
  }),
  "cli/flag-conflict": (id: RunId) => ({
    message: `Cannot add to the budget of run ${id}: it has none.`,
    hint: "Omit --add-budget, or set a budget with --budget USD.",
  }),
  /** `of`: the state directory of the original. */
  "run/copied": (run: RunState, of: string, program: string) => {
    const { id, processes, workflow, worktree } = run;
    const there =
      basename(of) === ".raymond"
        ? `cd ${shellWord(dirname(of))} && raymond resume ${id}`
        : `raymond --state-dir ${shellWord(of)} resume ${id}`;
    const step = processes === 0 ? workflow.entry : String(processes);
    const files = worktree === undefined ? "" : " --files";
    return {
      message: `The files of run ${id} are a copy: the run itself is in ${of}.`,
      hint: `To continue the run itself: ${there}. To continue here with a new ID and new conversations, from its last step: ${program} rerun ${id} ${step}${files}`,
    };
  },
  "run/launch-dir-gone": (id: RunId, folder: string) => ({
    message: `Cannot resume run ${id}: its launch folder does not exist: ${folder}`,
    hint: `Restore the folder. If it was renamed, rename it back, or create a link to it: ln -s NEW ${shellWord(folder)}`,
  }),
  "run/not-started": (cause: Error) => ({
    message: `Cannot start a process for the run: ${cause.message}.`,
    hint: "The system may lack processes, memory or file descriptors (ulimit -u, ulimit -n). Try again later, or run it without --detach.",
    cause,
  }),
  "cli/no-temporary-folder": (place: string, cause: unknown) => ({
    message: `Cannot create a temporary folder in ${place}: ${cause instanceof Error ? cause.message : "unknown reason"}.`,
    hint: "Set a writable folder: TMPDIR=FOLDER raymond tour (TEMP on Windows).",
    cause,
  }),
  "run/several-live": (runs: readonly RunId[]) => {
    const shown = runs.slice(0, 10).join(", ");
    const more = runs.length > 10 ? ` and ${String(runs.length - 10)} more` : "";
    return {
      message: `${String(runs.length)} runs are in progress: ${shown}${more}.`,
      hint: `Name one of them: raymond attach ${runs[0] ?? "RUN"}`,
    };
  },
  "run/gone": (run: RunId) => ({
    message: `The files of run ${run} were deleted while you were watching it.`,
    hint: "If a process still runs it, its next save restores the state file. Check with: raymond list",
  }),
});

/** Answering questions. `commands`: command lines that answer the open questions. */
export const answerErrors = defineErrors({
  "run/no-question": (
    run: Pick<RunState, "id" | "status"> | null,
    agent: AgentId | undefined,
    commands: readonly string[],
  ) => {
    const ofAgent = agent === undefined ? "" : ` for agent ${agent}`;
    const completed = run?.status === "completed";
    const subject = run === null ? "No run of this project" : `Run ${run.id}`;
    return {
      message: completed
        ? `Run ${run.id} has completed and asks nothing.`
        : `${subject} ${run === null ? "waits" : "does not wait"} for an answer${ofAgent}.`,
      hint:
        commands.length > 0
          ? `Open questions:\n${commands.join("\n")}`
          : `Check its status with: raymond ${run === null ? "list" : `status ${run.id}`}`,
    };
  },
  "run/several-questions": (commands: readonly string[]) => ({
    message: `${String(commands.length)} questions wait for an answer.`,
    hint: `Answer one of them, with your text in place of TEXT:\n${commands.join("\n")}`,
  }),
  "run/not-an-option": (answer: string, options: readonly string[]) => ({
    message: `"${excerpt(answer)}" is not an option of this question.`,
    hint: `Answer with one of: ${options.join(", ")}.`,
  }),
  "run/empty-answer": (agent: AgentId) => ({
    message: `The answer to ${agent} is empty.`,
    hint: "Add a text, or - to read standard input.",
  }),
  "run/answered": (run: RunId, { agent, answer, by: { user, host }, at }: Answer) => ({
    message: `${agent} was already answered at ${localTime(at)}${user === null ? "" : ` by ${user}`}${host === null ? "" : ` on ${host}`}: ${formatAnswer(answer)}`,
    hint: `The first answer counts. If no process runs it, resume the run with: raymond resume ${run}`,
  }),
  "run/answer-too-late": (run: RunId, agent: AgentId, until: number) => ({
    message: `The question of ${agent} expired at ${localTime(until)}.`,
    hint: `The agent continues without an answer. If no process runs it, resume the run with: raymond resume ${run}`,
  }),
  "run/unreadable-answer": (file: string) => ({
    message: `Cannot read the answer file ${file}: raymond did not write it.`,
    hint: "Remove the file, then answer again.",
  }),
});

/** `raymond set`. */
export const setErrors = defineErrors({
  "run/set-completed": (id: RunId) => ({
    message: `Cannot set a result in run ${id}: it has completed.`,
    hint: `To continue from one of its steps, run: raymond rerun ${id} STEP`,
  }),
  "run/set-ended": (id: RunId, agent: AgentId) => ({
    message: `Cannot set the result of ${agent}: it has ended.`,
    hint: `List the agents of the run with: raymond status ${id}`,
  }),
  "run/set-asking": (id: RunId, agent: AgentId) => ({
    message: `Cannot set the result of ${agent}: it waits for an answer.`,
    hint: `Answer it with: raymond answer ${id} TEXT --agent ${agent}`,
  }),
  "run/set-opened": (id: RunId, agent: AgentId) => ({
    message: `Cannot set the result of ${agent}: its conversation is open in a manual session.`,
    hint: `Close that session, then run the command again. Check with: raymond status ${id}`,
  }),
  /** `now`: the step of the agent now; null: it has ended. */
  "run/set-late": (id: RunId, agent: AgentId, now: StepTarget | null) => ({
    message: `${agent} has ${now === null ? "ended" : `continued at ${now.state}`} in the meantime. No result was set.`,
    hint: `Check the run, then run the command again if necessary: raymond status ${id}`,
  }),
  "run/set-invalid": (problem: string) => ({
    message: `The result ${problem}.`,
    hint: "Write large data to a file, and name the file in the result.",
  }),
  /** `fault`: a sentence. */
  "run/set-mismatch": (fault: string) => ({
    message: `${fault} No result was set.`,
    hint: "Correct the result, or the schema.",
  }),
  /** A schema of the result cannot be used. */
  "run/set-unchecked": ({ message, hint }: Pick<Failure, "message" | "hint">) => ({
    message: `Cannot check the result: ${message}`,
    hint: hint ?? undefined,
  }),
});

/** `raymond rerun`. */
export const rerunErrors = defineErrors({
  "run/rerun-worktrees": (run: RunId, step: number) => ({
    message: `Cannot rerun ${run} from step ${String(step)}: agents with worktrees of their own were running.`,
    hint: "Choose a step before their fork, or after their join.",
  }),
  /** `first`: number of the first step in the journal. */
  "run/step-not-recorded": (
    run: RunId,
    step: number,
    first: number,
    origin: RerunOrigin | null,
  ) => {
    const number = String(step);
    return origin === null
      ? {
          message: `Cannot rerun ${run} from step ${number}: its journal was compacted and starts at step ${String(first)}.`,
          hint: `Choose a later step. List them with: raymond show ${run}`,
        }
      : {
          message: `Run ${run} has no step ${number}: ${describeOrigin(origin)}.`,
          hint: `Try the original run: raymond rerun ${origin.run} ${number}`,
        };
  },
  /**
   * `exists`: whether the workflow has the state. `entered`: recorded states. `later`: why the record does
   * not start with the run, as the end of a sentence, or null.
   */
  "run/never-entered": (
    run: RunId,
    state: string,
    exists: boolean,
    entered: readonly string[],
    later: string | null,
  ) => {
    const names = extensionOf(state) === null ? entered.map(stemOf) : entered;
    // A state of another workflow is identified by its full name.
    const near = names.find((name) => name.endsWith(`/${state}`)) ?? nearest(state, names);
    const limit = later === null ? "" : `, according to its record: ${later}`;
    return {
      message: exists
        ? `Run ${run} has not entered the state ${state}${limit}.`
        : `The workflow of run ${run} has no state "${state}".`,
      hint: `${near === null ? "" : `Did you mean ${near}? `}States that it has entered: ${listed(entered)}.`,
    };
  },
  "run/state-lost": (
    run: RunId,
    step: number,
    agent: AgentId,
    state: string,
    names: readonly string[],
  ) => {
    const near = nearest(state, names);
    return {
      message: `Cannot rerun ${run} from step ${String(step)}: the next state of its agent ${agent}, ${state}, is no longer in the workflow.`,
      hint: `${near === null ? "" : `Was it renamed to ${near}? `}Restore the state under its name, or start at an earlier step.`,
    };
  },
  /** `since`: the step that continued the conversation without a recorded position; null: it is gone. */
  "run/conversation-lost": (
    run: RunId,
    agent: AgentId,
    session: SessionId,
    since: number | null,
  ) => ({
    message:
      since === null
        ? `Conversation ${session} of agent ${agent} is gone: neither claude nor run ${run} has a copy.`
        : `Cannot determine the length of conversation ${session} of agent ${agent}: step ${String(since)} continued it, and its end was not recorded.`,
    hint: `Start at a step before that conversation. List the steps with: raymond show ${run}`,
  }),
  "run/not-editable": (state: string, place: string) => ({
    message: `Cannot edit ${state}: it is in ${place}.`,
    hint: "Edit the folder that was packed and pack it again, or run the workflow from its folder.",
  }),
  "run/no-terminal": () => ({
    message: "--edit requires a terminal.",
    hint: "Edit the file of the state, then omit --edit.",
  }),
});

/** `raymond open`. */
export const openErrors = defineErrors({
  "cli/no-terminal": () => ({
    message: "raymond open requires a terminal.",
    hint: "Run it in a terminal without redirecting its input or output. `raymond status` shows a command that opens the conversation elsewhere.",
  }),
  "run/no-conversation": (run: RunId, agent: AgentId, state: string, isScript: boolean) => ({
    message: `${agent} has no conversation: its state ${state} ${isScript ? "is a script, and no prompt came before it" : "starts a new one"}.`,
    hint: `List its earlier steps with: raymond show ${run} --agent ${agent}\nFor a prompt step, raymond show RUN STEP shows how to open its conversation.`,
  }),
  "run/conversation-gone": (run: RunId, agent: AgentId, session: string, copies: string) => ({
    message: `Conversation ${session} of ${agent} is gone: the client no longer has it, and ${copies} contains no copy.`,
    hint: `Show its log with: raymond show ${run} --agent ${agent}`,
  }),
  "run/worktree-removed": (run: RunId, agent: AgentId, folder: string) => ({
    message: `Cannot open the conversation of ${agent}: its worktree ${folder} was removed when the agent ended.`,
    hint: `Show its log with: raymond show ${run} --agent ${agent}. Its branch has its files.`,
  }),
  "run/nothing-to-open": (run: RunId, backend: string) => ({
    message: `Run ${run} has no conversations that can be opened: ${backend} answers its prompts.`,
    hint: `Show the replies with: raymond show ${run}`,
  }),
  "run/cannot-reopen": (run: RunId, agent: string) => ({
    message: `${agent} cannot open a conversation by its id.`,
    hint: `Show its messages with: raymond show ${run}`,
  }),
  "run/which-agent": (run: RunId, agents: readonly AgentId[]) => ({
    message: `Run ${run} has several agents: ${agents.join(", ")}.`,
    hint: `Name one: raymond open ${run} ${agents[0] ?? ""}`,
  }),
  "run/open-already": (agent: AgentId, since: string, folder: string) => ({
    message: `The conversation of ${agent} has been open in another terminal since ${since}.`,
    hint: `Close it there first. If no terminal has it open, remove its file in ${folder}.`,
  }),
  "run/script-runs": (run: RunId, agent: AgentId, state: string) => ({
    message: `Cannot interrupt ${agent}: ${state} is a script.`,
    hint: `Without --now raymond waits for it to end: raymond open ${run} ${agent}`,
  }),
  "run/agent-ended": (run: RunId, agent: AgentId) => ({
    message: `${agent} has ended, so its conversation cannot be continued.`,
    hint: `To read it, run the same command again: raymond open ${run} ${agent}`,
  }),
  "run/not-kept": (run: RunId, pid: number) => ({
    message: `Process ${String(pid)}, which runs ${run}, did not respond.`,
    hint: `It may be suspended, or a version without raymond open. Stop the run, open the conversation, then resume: raymond stop ${run}`,
  }),
});

/** The client of an agent did not start in the terminal of the user. */
export function cannotStart(
  agent: string,
  { command, cwd }: { readonly command: string; readonly cwd: string },
  problem: string,
): RaymondError {
  return createError(`${agent}/unusable`, {
    message: `Cannot start ${command} in ${cwd}: ${problem}.`,
    hint: "Check that the folder exists and that you can start the client yourself.",
  });
}
