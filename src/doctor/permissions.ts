import { type Check, failure, ok, warning } from "../inspect/check.ts";
import { DEFAULT_PERMISSIONS } from "../language/basics/default-permissions.ts";
import type { RunSettings } from "../machine/run-state.ts";
import { wireErrors } from "../wire/errors.ts";

export interface Standing {
  readonly root: boolean;
  /** `IS_SANDBOX=1` is set. */
  readonly sandbox: boolean;
  readonly contained: boolean;
  readonly settings: Pick<RunSettings, "skipPermissions" | "allowedTools">;
  /** Where a setting comes from, in words: `the default`, `/repo/.raymond/config.toml:3`. */
  readonly sourceOf: (field: "skipPermissions" | "allowedTools") => string;
}

/** The client refuses some settings as root. */
export function checkUser({ root, sandbox, settings }: Standing): Check {
  if (!root) return ok("user", "an ordinary user");
  if (sandbox) return ok("user", "root, in what IS_SANDBOX=1 says is a sandbox");
  const refused = wireErrors["claude/root-without-sandbox"]();
  const hint = refused.hint ?? "";
  return settings.skipPermissions
    ? failure("user", `${refused.message} It is configured, and this is root.`, hint)
    : warning("user", "This is root: claude would refuse --dangerously-skip-permissions.", hint);
}

export function checkPermissions({ settings, contained, sourceOf }: Standing): Check {
  const name = "permissions";
  if (settings.skipPermissions) {
    const words = `claude may do anything without asking (by ${sourceOf("skipPermissions")})`;
    return contained
      ? ok(name, `${words}, in a container`)
      : warning(
          name,
          `${words}, and this does not look like a container.`,
          "Do so only in a container, or as a user whose files do not matter.",
        );
  }
  const { allowedTools } = settings;
  const more =
    allowedTools === null || allowedTools.length === 0
      ? ""
      : `; it may also use ${allowedTools.join(", ")} (by ${sourceOf("allowedTools")})`;
  return ok(name, `claude may ${DEFAULT_PERMISSIONS}${more}`);
}
