import { homedir } from "node:os";
import { argsByHand } from "../../backends/claude/args.ts";
import { clientSwitches } from "../../backends/claude/environment.ts";
import { findClient } from "../../backends/claude/locate.ts";
import { TranscriptCopies } from "../../backends/claude/transcript-copies.ts";
import type { Agent, SessionId } from "../../core/machine/agent.ts";
import { toolsOf } from "../../core/machine/backend-problem.ts";
import type { Recollection } from "../../core/machine/recollection.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import type { PromptFile } from "../../core/workflow/state-file.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { PastCall } from "../../ports/backend.ts";
import type { ForegroundCall } from "../../process/foreground.ts";
import { openLibrary } from "../../scopes/library.ts";
import type { Caller } from "../caller.ts";
import { inherited } from "./inherited.ts";
import { systemPlatform } from "./system.ts";
import { scopeIn } from "./workflow.ts";

/** What a person needs to talk in the conversations of a run. */
export interface ByHand {
  /** Whether the client has a conversation; one that it has lost is put back, where the run has a copy. */
  readonly has: (session: SessionId, cwd: string) => Promise<boolean>;
  /** What a conversation tells that was added to it since then. */
  readonly recall: (call: PastCall) => Promise<Recollection | null>;
  /** How it is opened; `agent`: for whom, null where nobody goes on with it. */
  readonly call: (
    session: SessionId,
    cwd: string,
    agent: Agent | null,
  ) => Promise<Omit<ForegroundCall, "onStart">>;
}

/** With the client of the run, and its settings. Rejects with a RaymondError where there is no such client. */
export async function byHand(
  run: RunState,
  artifacts: Artifacts,
  warn: (message: string) => void,
  caller: Caller,
): Promise<ByHand> {
  const { settings } = run;
  const env = inherited(caller.env);
  const command = await findClient(settings.client, env, caller.cwd);
  const { kept: files } = await caller.system();
  const folder = artifacts.transcripts;
  const copies = new TranscriptCopies({ env, home: homedir(), folder, files, warn });
  return {
    has: async (session, cwd) => {
      const found = await copies.putBack(session, cwd);
      return found === "there" || found === "put-back";
    },
    recall: (call) => copies.recall(call),
    call: async (session, cwd, agent) => {
      const file = agent === null ? null : await promptOf(run, agent, artifacts);
      const given = {
        model: file?.model ?? settings.model,
        effort: file?.effort ?? settings.effort,
        skipPermissions: settings.skipPermissions,
        ...(file === null ? settings : toolsOf(file, settings)),
      };
      const switches = clientSwitches(settings.switches["memory"] === true, false);
      return { command, args: argsByHand(given, session), cwd, env: { ...env, ...switches } };
    },
  };
}

/** The state that goes on with the conversation, where it is a prompt that can be read. */
async function promptOf(
  run: RunState,
  { workflow, state }: Agent,
  artifacts: Artifacts,
): Promise<PromptFile | null> {
  const scope = scopeIn(run.workflow.kind, run.scopeDir);
  const { workflowPath } = run.settings;
  const started = { ...run.workflow, scope };
  const options = {
    started,
    workflowPath,
    platform: systemPlatform(),
    copies: artifacts.workflows,
  };
  const file = await openLibrary(options)
    .scope(workflow)
    .load(state)
    .catch(() => null);
  return file?.kind === "prompt" ? file : null;
}
