import type { Prompting } from "../runs/prompting.ts";
import type { Credentials } from "./accounts-file.ts";

/**
 * How prompts of an account are answered: by its credentials, and by none that the worker has itself, or
 * another would pay.
 */
export function promptingAs(credentials: Credentials): Prompting {
  const none = Object.fromEntries(WHO_PAYS.map((name) => [name, undefined]));
  return { env: { ...none, ...credentials } };
}

/** By these the client finds who pays (docs/claude.md, "Log-in"). */
const WHO_PAYS = [
  ...[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
  ],
  ...["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"],
  ...["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "AWS_BEARER_TOKEN_BEDROCK"],
] as const;
