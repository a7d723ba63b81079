import type { CodingAgent, ManualSessions } from "../../clients/common/coding-agent.ts";
import { ConversationCopies } from "../../clients/common/conversations/conversation-copies.ts";
import type { ConversationStore } from "../../clients/common/conversations/conversation-store.ts";
import { callSandbox } from "../../engine/executors/sandbox.ts";
import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { PastCall } from "../../engine/ports/backend.ts";
import { withAbsolutePaths } from "../../engine/prepare/step-permissions.ts";
import { settingsIn, treeOf } from "../../engine/prepare/step-tree.ts";
import { NONE_DECLARED } from "../../language/permissions/declared.ts";
import type { PromptFile } from "../../language/workflow/files/state-file.ts";
import { settingsOf, withOwnModels } from "../../machine/backends/own-models.ts";
import { type CallPermissions, permissionsOf } from "../../machine/decide/permissions.ts";
import type { Agent, SessionId } from "../../machine/model/agent.ts";
import type { RecoveredSession } from "../../machine/model/recovered-session.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { ForegroundCall } from "../../process/children/foreground.ts";
import type { Library } from "../../scopes/library.ts";
import { agentNamed } from "../../wire/agents/agents.ts";
import { clientPlace } from "../../wire/agents/client-place.ts";
import type { Caller } from "../../wire/caller.ts";
import { namedClient } from "../../wire/client.ts";
import { inherited, inheritedByPrompts } from "../../wire/engine/inherited.ts";
import { openSecrets } from "../../wire/engine/open-secrets.ts";
import { systemFolders } from "../../wire/system/system.ts";
import {
  type ProjectTrust,
  projectAccess,
  requireTrustedFiles,
} from "../../wire/trust/client-project.ts";
import { libraryOf, scopeIn } from "../../wire/workflow.ts";
import { openErrors, runErrors } from "../errors.ts";

/** The client of a coding agent for manual sessions with the conversations of a run. */
export interface ManualClient {
  /** Whether the client has a conversation. A lost one is restored if the run has a copy. */
  readonly has: (session: SessionId, cwd: string) => Promise<boolean>;
  /** The messages since then. */
  readonly recall: (call: PastCall) => Promise<RecoveredSession | null>;
  /** The command that opens a conversation. `agent`: continues it afterwards. */
  readonly call: (
    session: SessionId,
    cwd: string,
    agent: Agent | null,
  ) => Promise<Omit<ForegroundCall, "onStart">>;
}

/**
 * The clients of coding agents, opened when they are first needed. Rejects with a RaymondError if a client is not
 * installed or cannot open conversations, or if the settings of the project are not trusted.
 */
export type ManualClients = (agent: string) => Promise<ManualClient>;

export interface ManualRun {
  readonly run: RunState;
  readonly artifacts: Artifacts;
  readonly project: ProjectTrust;
  readonly warn: (message: string) => void;
}

export function manualClients(manual: ManualRun, caller: Caller): ManualClients {
  const opened = new Map<string, Promise<ManualClient>>();
  return (name) => {
    const client = opened.get(name) ?? openManualClient(agentNamed(name), manual, caller);
    opened.set(name, client);
    return client;
  };
}

async function openManualClient(
  backend: CodingAgent,
  { run, artifacts, project, warn }: ManualRun,
  caller: Caller,
): Promise<ManualClient> {
  const { settings } = run;
  const { installation, manual, conversations } = backend;
  if (manual === null || conversations === null) {
    throw openErrors["run/cannot-reopen"](run.id, backend.title);
  }
  await requireTrustedFiles(project, settings, caller);
  const env = inherited(caller.env);
  const command = await installation.find(namedClient(backend, settings), env, caller.cwd);
  const access = projectAccess(backend.name, settings, project.origin ?? run.launchDir, caller);
  const { kept: files } = await caller.system();
  const folder = artifacts.transcripts;
  const secrets = openSecrets(settings, caller, warn);
  const store: ConversationStore = conversations(clientPlace(env));
  const copies = new ConversationCopies({ store, folder, files, secrets, warn });
  return {
    has: async (session, cwd) => {
      const found = await copies.putBack(session, cwd);
      return found === "there" || found === "put-back";
    },
    recall: (call) => copies.recall(call),
    call: async (session, cwd, agent) => {
      const library = libraryOf(run, scopeIn(run.workflow.kind, run.scopeDir), artifacts);
      // Opens the other workflows that agents of the run are in.
      for (const { workflow } of run.agents) library.scope(workflow);
      const workflow = agent?.workflow ?? null;
      const file = agent === null ? null : await promptOf(library, agent);
      const given = await callOf({ backend, run, library, agent, file, cwd });
      const workflowEnv = await library.environment(workflow);
      secrets.declare([...workflowEnv.secret, ...(file?.env.secret ?? [])]);
      const passed = inheritedByPrompts(caller.env, backend, settings, workflowEnv, file?.env);
      const allowed = await access(cwd);
      if (allowed.kind === "ignore" && allowed.warning !== null) warn(allowed.warning);
      const { file: conversation } = await store.find(session, cwd);
      const opened = manual.call(session, given, allowed, settings, conversation);
      return { command, args: opened.args, cwd, env: { ...passed, ...opened.env } };
    },
  };
}

interface OpenedCall {
  readonly backend: CodingAgent;
  readonly run: RunState;
  readonly library: Library;
  readonly agent: Agent | null;
  readonly file: PromptFile | null;
  readonly cwd: string;
}

/** The settings of the agent's next step. Without a prompt, those of the run. */
async function callOf({
  backend,
  run,
  library,
  agent,
  file,
  cwd,
}: OpenedCall): Promise<Parameters<ManualSessions["call"]>[1]> {
  const settings = settingsOf(run, backend.name);
  const own = file && withOwnModels(file, run, backend.name);
  const limits = file?.sandbox ?? (await library.sandbox(agent?.workflow ?? null));
  const tree = treeOf(run, agent);
  const inside = callSandbox(
    {
      ...{ source: run.workflow.path, cwd, settings: settingsIn(tree, settings) },
      ...{ launchDir: tree.launchDir, worktree: tree.worktree },
      file: { kind: "prompt", sandbox: limits },
    },
    { name: backend.name, can: { ...backend.can, container: false } },
  );
  if (!inside.ok) throw runErrors["run/sandbox"](inside.failure);
  return {
    model: own?.model ?? settings.model,
    effort: own?.effort ?? settings.effort,
    ...(await permitted(run, library, agent, file)),
    deniedPaths: settings.protectWorkflow ? await library.protectedPaths(cwd) : [],
    deniedNames: settings.protectWorkflow ? library.protectedNames(cwd) : [],
    sandbox: inside.sandbox,
  };
}

/** Those of the agent's next step. Without a prompt, those of the run. */
async function permitted(
  run: RunState,
  library: Library,
  agent: Agent | null,
  file: PromptFile | null,
): Promise<CallPermissions> {
  const workflow = agent?.workflow ?? null;
  const declared = await library.permissions(workflow);
  const { call } = permissionsOf(file ?? NO_STATE, declared, run.settings);
  return withAbsolutePaths(call, run.launchDir, systemFolders, treeOf(run, agent).place);
}

const NO_STATE = {
  permissions: NONE_DECLARED,
  ...{ tools: null, allowedTools: null, disallowedTools: null },
} as const;

/** The next state of an agent; null if it is not a readable prompt. */
async function promptOf(library: Library, { workflow, state }: Agent): Promise<PromptFile | null> {
  const file = await library
    .scope(workflow)
    .load(state)
    .catch(() => null);
  return file?.kind === "prompt" ? file : null;
}
