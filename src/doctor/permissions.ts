import type { CodingAgent } from "../clients/common/coding-agent.ts";
import { type Check, failure, ok, warning } from "../inspect/check.ts";
import { levelOf, type UserPermissions } from "../machine/decide/permissions.ts";

export interface Standing {
  readonly agent: Pick<CodingAgent, "name" | "installation" | "can" | "levels">;
  readonly root: boolean;
  /** `IS_SANDBOX=1` is set. */
  readonly sandbox: boolean;
  readonly contained: boolean;
  readonly settings: Omit<UserPermissions, "tools">;
  /** Where a setting comes from, in words: `the default`, `/repo/.raymond/config.toml:3`. */
  readonly sourceOf: (field: keyof Standing["settings"]) => string;
}

/** The client refuses some settings as root. */
export function checkUser({ agent, root, sandbox, settings }: Standing): Check {
  if (!root) return ok("user", "an ordinary user");
  if (sandbox) return ok("user", "root, in what IS_SANDBOX=1 says is a sandbox");
  const refused = agent.installation.rootRefusal?.();
  if (refused === undefined) return ok("user", "root");
  const hint = refused.hint ?? "";
  return settings.skipPermissions
    ? failure("user", `${refused.message} It is configured, and this is root.`, hint)
    : warning(
        "user",
        `This is root: ${agent.name} would refuse --dangerously-skip-permissions.`,
        hint,
      );
}

export function checkPermissions({ agent, settings, contained, sourceOf }: Standing): Check {
  const name = "permissions";
  const level = levelOf(settings);
  const { allow, deny, allowedTools, disallowedTools } = settings;
  const said = (words: string, lists: readonly (readonly [ListField, List])[]) =>
    lists
      .filter(([, list]) => (list ?? []).length > 0)
      .map(([field, list]) => `; ${words} ${(list ?? []).join(", ")} (by ${sourceOf(field)})`);
  const denied = said("never", [
    ["deny", deny],
    ["disallowedTools", disallowedTools],
  ]).join("");
  if (level === "full") {
    const field = settings.permissions === "full" ? "permissions" : "skipPermissions";
    const words = `${agent.name} may do anything without asking (by ${sourceOf(field)})${denied}`;
    return contained
      ? ok(name, `${words}, in a container`)
      : warning(
          name,
          `${words}, and this does not look like a container.`,
          "Do so only in a container, or as a user whose files do not matter.",
        );
  }
  const more = said("it may also use", [
    ["allow", allow],
    ["allowedTools", allowedTools],
  ]).join("");
  return ok(name, `${agent.name} may ${agent.levels[level].may}${more}${denied}`);
}

/** Rules of the user that the agent cannot enforce: raymond refuses its prompts. */
export function checkEnforced({ agent, settings }: Standing): readonly Check[] {
  const { permissions } = agent.can;
  const rules = [...(settings.allow ?? []), ...(settings.deny ?? [])];
  const needed = [
    ...(levelOf(settings) === "read-only" ? ["read-only"] : []),
    ...rules.map((rule) => rule.replace(/\(.*/s, "")),
  ];
  const lacking = [...new Set(needed)].filter((kind) => !permissions.some((one) => one === kind));
  if (lacking.length === 0) return [];
  return [
    warning(
      "enforced",
      `${agent.name} cannot enforce ${lacking.join(", ")}, so raymond refuses its prompts with these settings.`,
      "Use another agent, or change permissions, allow and deny.",
    ),
  ];
}

type List = readonly string[] | null;
type ListField = "allow" | "deny" | "allowedTools" | "disallowedTools";
