import { isSimulated } from "../../engine/ports/backend.ts";
import { isBelow } from "../../files/paths.ts";
import { LEVELS, type Level } from "../../language/permissions/permission.ts";
import { listed } from "../../language/workflow/quote.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import type { Placement, Workspace } from "../store/rows/placement.ts";

/**
 * What a worker may run (docs/fleet-operations.md, "Policy of a worker"). Null: everything. The policy of each
 * machine is in the database, so that other processes can explain a refusal.
 */
export interface Policy {
  /** Absolute. A run may work in them and below. */
  readonly folders: readonly string[] | null;
  /** Repositories of git workspaces; one that ends in `/*` allows everything below. */
  readonly repositories: readonly string[] | null;
  /** The most permissions that prompts of a run may have. */
  readonly permissions: Level | null;
  /** Values of the setting `client`. */
  readonly clients: readonly string[] | null;
}

/** The part of a run that a policy decides about. */
export interface PolicyFacts {
  readonly workspace: Workspace;
  readonly permissions: Level;
  /** The clients that its settings name, instead of those of the machine. */
  readonly clients: readonly string[];
}

/** Why a policy refuses a run with this placement, as a clause; null if it does not. */
export function refusalOf(
  policy: Policy | null,
  { workspace, needs }: Pick<Placement, "workspace" | "needs">,
): string | null {
  const { client = null, clients = client === null ? [] : [client] } = needs ?? {};
  // A run of an earlier version may have any permissions.
  const { permissions = "full" } = needs ?? {};
  return policyProblem(policy, { workspace, permissions, clients });
}

/** Why a policy refuses a run, as a clause; null if it does not. Pure: links are not resolved. */
export function policyProblem(policy: Policy | null, facts: PolicyFacts): string | null {
  if (policy === null) return null;
  return (
    workspaceProblem(policy, facts.workspace) ??
    permissionProblem(policy, facts.permissions) ??
    clientProblem(policy, facts.clients)
  );
}

function workspaceProblem({ folders, repositories }: Policy, workspace: Workspace): string | null {
  if (workspace.kind === "git") {
    const { repository } = workspace;
    if (repositories === null || repositories.some((each) => isAllowed(each, repository))) {
      return null;
    }
    return `it does not allow the repository ${repository} (allowed: ${orNone(repositories)})`;
  }
  // The run gets a folder of its own, below the state folder of the worker.
  const { folder } = workspace;
  if (folder === null || folders === null) return null;
  if (folders.some((each) => isBelow(each, folder))) return null;
  return `it does not allow the folder ${folder} (allowed: ${orNone(folders)})`;
}

function permissionProblem({ permissions: most }: Policy, wanted: Level): string | null {
  if (most === null || rank(wanted) <= rank(most)) return null;
  return `it allows at most the permissions "${most}", and the run may have "${wanted}"`;
}

function clientProblem({ clients }: Policy, named: readonly string[]): string | null {
  const client = named.find((each) => clients?.includes(each) === false);
  if (clients === null || client === undefined) return null;
  return `it does not allow the client ${client} (allowed: ${orNone(clients)})`;
}

function isAllowed(rule: string, repository: string): boolean {
  if (!rule.endsWith("/*")) return withoutEnding(rule) === withoutEnding(repository);
  // `..` would lead out of the allowed part.
  return (
    repository.startsWith(rule.slice(0, -1)) && !/(?:^|[/\\])\.\.(?:[/\\]|$)|%2e/i.test(repository)
  );
}

function withoutEnding(repository: string): string {
  return repository.replace(/\/$/, "").replace(/\.git$/, "");
}

function rank(level: Level): number {
  return LEVELS.indexOf(level);
}

function orNone(allowed: readonly string[]): string {
  return allowed.length === 0 ? "none" : listed(allowed);
}

/**
 * The facts of a run's settings. A simulated run has neither permissions nor a client. Without a level, states may
 * give themselves permissions, and rules that the user allows go beyond the level.
 */
export function needsOf(
  settings: Pick<
    RunSettings,
    "skipPermissions" | "permissions" | "allow" | "allowedTools" | "clients"
  >,
  backend: string,
): Pick<PolicyFacts, "permissions" | "clients"> {
  if (isSimulated(backend)) return { permissions: "read-only", clients: [] };
  const { skipPermissions, allow, allowedTools } = settings;
  const clients = Object.values(settings.clients);
  const exceeds = skipPermissions || [allow, allowedTools].some((list) => (list ?? []).length > 0);
  return { permissions: exceeds ? "full" : (settings.permissions ?? "full"), clients };
}
