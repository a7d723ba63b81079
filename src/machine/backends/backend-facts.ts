import type { PermissionKind } from "../../language/permissions/permission.ts";

type Enforced = PermissionKind | "read-only";

/** For a backend that enforces all permissions. */
export const ENFORCED: readonly Enforced[] = [
  ...(["read-only", "command", "read", "write", "network", "tool"] as const),
];

export interface BackendFacts {
  readonly name: string;
  readonly can: Capabilities;
}

/** Optional features of a backend (docs/contributing.md, "Add a coding agent"). */
export interface Capabilities {
  /** Branch a conversation, as `<call>` does. */
  readonly branch: boolean;
  readonly resume: boolean;
  readonly effort: boolean;
  /** Limit the cost of a call. */
  readonly budget: boolean;
  /** Restrict the tools of a call. */
  readonly tools: boolean;
  /** Restrict what the tools of a call change and reach. */
  readonly sandbox: boolean;
  readonly container: boolean;
  /** Report the MCP servers of a call before its prompt is paid, so that it can be ended. */
  readonly mcp: boolean;
  /**
   * Cost of a call: reported by the client, estimated from a price list, or unknown (docs/budgets.md,
   * "Agents without reported costs").
   */
  readonly cost: "reported" | "priced" | "none";
  /** Enforce the level `read-only`, and `allow` and `deny` of these kinds. */
  readonly permissions: readonly Enforced[];
}

/** Of a backend with all features. */
export const ALL_CAPABILITIES: Capabilities = {
  branch: true,
  resume: true,
  effort: true,
  budget: true,
  tools: true,
  sandbox: true,
  container: true,
  mcp: true,
  cost: "reported",
  permissions: ENFORCED,
};
