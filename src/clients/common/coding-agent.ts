import type { Backend, Invocation } from "../../engine/ports/backend.ts";
import type { RaymondError } from "../../language/basics/errors.ts";
import type { LevelsOfAgent } from "../../language/permissions/level-facts.ts";
import type { Capabilities } from "../../machine/backends/backend-facts.ts";
import type { SessionId } from "../../machine/model/agent.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import type { ClientErrors } from "./client-errors.ts";
import type { ConversationStore } from "./conversations/conversation-store.ts";
import type { Program } from "./exit-failure.ts";
import type { Asker } from "./probe.ts";
import type { ProjectAccess } from "./project-access.ts";
import type { ClientParts } from "./run-call.ts";

/**
 * A coding agent: everything that the rest of raymond knows about it (docs/contributing.md, "Add a coding agent"). Its
 * row in `src/wire/agents/agents.ts` is the only other place that names it.
 */
export interface CodingAgent extends Program {
  /** In settings, state files and error codes, and its program on PATH: `claude`. */
  readonly name: string;
  /** In sentences: `Claude Code`. */
  readonly title: string;
  readonly can: Capabilities;
  readonly levels: LevelsOfAgent;
  readonly errors: ClientErrors;
  readonly installation: Installation;
  /** The backend of a run. The caller adds copies of conversations. */
  readonly open: (parts: AgentParts) => Backend;
  /** Where the client stores conversations; null: raymond cannot read or copy them. */
  readonly conversations: ((place: ClientPlace) => ConversationStore) | null;
  /** The folders that the client writes when it stores conversations. */
  readonly written: (place: ClientPlace) => readonly string[];
  /** Interactive sessions; null: the client cannot open a conversation by its id. */
  readonly manual: ManualSessions | null;
  readonly project: ProjectFacts;
  readonly account: AccountFacts;
  /** The messages in the recorded output of a call (`DEBUG.jsonl`). */
  readonly messagesIn: (output: Buffer) => readonly string[];
  /** Variables that the client sets for its children. raymond may be started by a client, and starts others. */
  readonly nestedVariables: readonly string[];
  /** Where the client reads a skill of a project, relative to its folder; null: nowhere. */
  readonly skillFile: string | null;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The client's environment and the home folder of its user, which decide where it stores files. */
export interface ClientPlace {
  readonly env: Variables;
  readonly home: string;
}

/** Checks of the client. They start it, and spend nothing. */
export interface Installation {
  /** The absolute path. `named`: a path, or a name on PATH; null: the usual one. Rejects with a RaymondError. */
  find(named: string | null, env: Readonly<Record<string, string>>, cwd: string): Promise<string>;
  /** Rejects with a RaymondError. */
  version(path: string, asker: Asker): Promise<ClientVersion>;
  /** `done` ends it early, with `unknown`. */
  login(path: string, asker: Asker, done?: AbortSignal): Promise<Login>;
  /** Why the client refuses to run as root without permissions; null: it does not. */
  readonly rootRefusal: (() => RaymondError) | null;
  /** More findings for `raymond doctor`. */
  findings(path: string, asker: Asker): Promise<readonly Finding[]>;
}

export interface ClientVersion {
  /** E.g. `2.1.330`; null if unknown. */
  readonly version: string | null;
  /** A warning about a version that raymond was not tested with; null for a tested one. */
  readonly warning: string | null;
}

export type Login =
  | { readonly state: "in"; readonly method: string }
  | { readonly state: "out" }
  /** `reason`: why it was not checked; absent: the client gave no answer. */
  | { readonly state: "unknown"; readonly reason?: string };

/** Something that a run may depend on, and how to fix it. */
export interface Finding {
  /** One word, such as `bare`. */
  readonly name: string;
  readonly level: "warn" | "fail";
  readonly message: string;
  readonly hint: string;
}

export interface AgentParts extends ClientParts {
  /** Path or name of the client. */
  readonly command: string;
  /** The environment of a call, without the variables that raymond adds. */
  readonly env: (call: Invocation["environment"]) => Readonly<Record<string, string>>;
  readonly settings: Pick<RunSettings, "switches">;
  /** Whether a call in a folder may load the settings of its project. */
  readonly projectAccess: (cwd: string) => Promise<ProjectAccess>;
  /** The home folder of the client's user. */
  readonly home: string;
}

/** The settings of a manual session, which are those of a call. */
export type ManualCall = Pick<
  Invocation,
  | "model"
  | "effort"
  | "level"
  | "allow"
  | "deny"
  | "tools"
  | "allowedTools"
  | "disallowedTools"
  | "deniedPaths"
  | "deniedNames"
  | "sandbox"
>;

export interface ManualSessions {
  /** The arguments that open a conversation in a terminal, without settings. */
  readonly reopen: (session: SessionId) => readonly string[];
  /** The same with the settings of a call, and the variables to add. `file`: the conversation. */
  readonly call: (
    session: SessionId,
    call: ManualCall,
    access: ProjectAccess,
    settings: Pick<RunSettings, "switches">,
    file: string,
  ) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

export interface ProjectFacts {
  /** The client's own folder, whose files belong to the user. */
  readonly own: (place: ClientPlace) => string;
  /** Files of a project in which the client or its servers refer to variables. */
  readonly files: readonly string[];
}

/** How an account of a fleet selects the account and the API of the client. */
export interface AccountFacts {
  /** Variables that select them. Those of a worker are removed for the runs of an account. */
  readonly variables: readonly string[];
  /** Names and `PREFIX_*` of variables that every call receives. `env`: all variables. */
  readonly passed: (env: Variables) => readonly string[];
  /** Variables whose values are always redacted. */
  readonly credentials: readonly string[];
  /** Names that steps may not set, but an account may. In upper case. */
  readonly reserved: readonly RegExp[];
  /** The variable that names the client's own folder. */
  readonly home: string | null;
}
