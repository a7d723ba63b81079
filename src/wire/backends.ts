import { homedir } from "node:os";
import { claudeBackend } from "../clients/claude/claude.ts";
import { clientHome, findTranscript } from "../clients/claude/transcripts/transcript-place.ts";
import { transcriptStore } from "../clients/claude/transcripts/transcript-store.ts";
import { copyConversation } from "../clients/common/carry-conversation.ts";
import { ConversationCopies } from "../clients/common/conversation-copies.ts";
import { withoutEnding } from "../clients/common/conversation-files.ts";
import type { IncrementalCopies } from "../clients/common/incremental-copy.ts";
import { withConversationCopies } from "../clients/common/with-conversation-copies.ts";
import { simulatedBackend } from "../clients/simulation/backend.ts";
import type { Simulation } from "../clients/simulation/scenario.ts";
import { type Environment, environmentOf } from "../engine/executors/environment.ts";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import { type Backend, type CarriedConversation, SIMULATION } from "../engine/ports/backend.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Observer } from "../engine/ports/observer.ts";
import type { StartProcess } from "../engine/ports/process.ts";
import type { SessionId } from "../machine/agent.ts";
import type { RunSettings, RunState } from "../machine/run-state.ts";
import type { Secrets } from "../process/secrets/secrets.ts";
import type { Caller } from "./caller.ts";
import { type Checked, checkClient, NOTHING_NEEDED, type Upcoming } from "./client.ts";
import { inherited } from "./engine/inherited.ts";
import { wireErrors } from "./errors.ts";
import { systemPlatform } from "./system/system.ts";
import { projectAccess } from "./trust/client-project.ts";

export interface BackendParts {
  readonly settings: RunSettings;
  /** Path of the client; null where no prompt needs it. */
  readonly client: string | null;
  /** Keys of settings of the project that are trusted for this process. */
  readonly trusted: readonly string[];
  readonly simulation: Simulation | null;
  readonly artifacts: Artifacts;
  readonly files: IncrementalCopies;
  readonly env: Environment;
  /** Names of variables that every prompt receives: those of the account. */
  readonly always: readonly string[];
  readonly clock: Clock;
  readonly start: StartProcess;
  readonly secrets: Secrets;
  readonly warn: (message: string) => void;
  /** How to keep conversations; null: no advice. */
  readonly lostAdvice: string | null;
}

export interface OpenBackend {
  readonly backend: Backend;
  readonly observers: readonly Observer[];
}

interface BackendKind {
  /**
   * Checks before the first state whether prompts can be answered. Rejects with a RaymondError.
   * Spends nothing.
   */
  readonly check: (upcoming: Upcoming, caller: Caller) => Promise<Checked>;
  readonly open: (parts: BackendParts) => OpenBackend;
  /** Copies the first part of a conversation to another run. False if that part is lost. */
  readonly carry: (conversation: CarriedConversation, parts: CarryParts) => Promise<boolean>;
  /** Finds conversations on this machine; null: there are none. */
  readonly locate: ((env: Environment) => LocateConversation) | null;
}

/** `cwd`: the folder of the next call. */
export type LocateConversation = (
  session: SessionId,
  cwd: string,
) => Promise<{
  readonly file: string;
  /** A folder that the conversation refers to. */
  readonly beside: string;
}>;

export interface CarryParts extends Pick<BackendParts, "files" | "env" | "secrets"> {
  readonly from: Artifacts;
  readonly to: Artifacts;
}

/** Backends by name (docs/contributing.md, "Add a backend"). */
const BACKENDS: Readonly<Record<string, BackendKind>> = {
  claude: { check: checkClient, open: claude, carry: carryForClaude, locate: locateForClaude },
  [SIMULATION]: {
    check: () => Promise.resolve(NOTHING_NEEDED),
    open: simulation,
    // A simulation has no conversations.
    carry: () => Promise.resolve(true),
    locate: null,
  },
};

export const USUAL_BACKEND = "claude";

/** Throws `run/unknown-backend`. */
export function requireBackend({ id, backend }: Pick<RunState, "id" | "backend">): void {
  if (!Object.hasOwn(BACKENDS, backend)) {
    throw wireErrors["run/unknown-backend"](id, backend, Object.keys(BACKENDS));
  }
}

export function checkBackend(name: string, upcoming: Upcoming, caller: Caller): Promise<Checked> {
  return backendOf(name).check(upcoming, caller);
}

export function locatorOf(name: string, { env }: Pick<Caller, "env">): LocateConversation | null {
  return backendOf(name).locate?.(inherited(env)) ?? null;
}

export function backendOf(name: string): BackendKind {
  const kind = BACKENDS[name];
  if (kind === undefined) throw new Error(`there is no backend ${name}`);
  return kind;
}

function claude(parts: BackendParts): OpenBackend {
  const { settings, client, artifacts, files, env, always, clock, start, secrets, warn } = parts;
  const folder = artifacts.transcripts;
  const transcripts = new ConversationCopies({
    ...{ store: transcriptStore(env, homeOf(env)), folder, files, secrets, warn },
  });
  const backend = claudeBackend({
    command: client ?? settings.client ?? "claude",
    env: (call) => environmentOf(call, env, systemPlatform(), always),
    memory: settings.switches["memory"] === true,
    projectAccess: projectAccess(settings, parts.trusted, parts),
    timers: clock,
    start,
    secrets,
  });
  const kept = withConversationCopies(backend, transcripts, parts.lostAdvice);
  return { backend: kept, observers: [transcripts] };
}

function carryForClaude(
  conversation: CarriedConversation,
  { files, env, secrets, from, to }: CarryParts,
): Promise<boolean> {
  return copyConversation(conversation, {
    ...{ files, store: transcriptStore(env, homeOf(env)) },
    ...{ from: from.transcripts, to: to.transcripts },
    mask: secrets.isEmpty ? null : (write) => secrets.mask(write),
  });
}

function locateForClaude(env: Environment): LocateConversation {
  return async (session, cwd) => {
    const { file } = await findTranscript(clientHome(env, homeOf(env)), cwd, session);
    return { file, beside: withoutEnding(file) };
  };
}

/** The home of the client's user, which can differ from the user of this process. */
function homeOf(env: Environment): string {
  return systemPlatform() === "unix" ? (env["HOME"] ?? homedir()) : homedir();
}

function simulation({ simulation: script, clock }: BackendParts): OpenBackend {
  if (script === null) throw new Error("a simulated run came without its simulation");
  return { backend: simulatedBackend(script, clock.sleep, clock.elapsed), observers: [] };
}

/** Copies conversations from one run to another. */
export async function carrying(
  backend: string,
  places: Pick<CarryParts, "from" | "to" | "secrets">,
  caller: Caller,
): Promise<(conversation: CarriedConversation) => Promise<boolean>> {
  const { kept: files } = await caller.system();
  const parts = { ...places, files, env: inherited(caller.env) };
  return (conversation) => backendOf(backend).carry(conversation, parts);
}
