import { parsePermission } from "./permission.ts";

/**
 * The permission that a rule of `allowed_tools` grants, in the words of `allow`; null if `allow`
 * cannot express it. `Bash(npm test)` is `command(npm test)`.
 */
export function permissionOfRule(rule: string): string | null {
  const [, tool = "", inside] = /^([^()]+?)(?:\((.*)\))?$/s.exec(rule.trim()) ?? [];
  const text =
    inside === undefined ? (WHOLE[tool] ?? `tool(${tool})`) : ruleText(tool, inside.trim());
  return text !== null && parsePermission(text).ok ? text : null;
}

const WHOLE: Readonly<Record<string, string>> = { Bash: "command(*)", WebFetch: "network(*)" };

function ruleText(tool: string, inside: string): string | null {
  switch (tool) {
    case "Bash":
      return `command(${inside.replace(/:\*$/, " *")})`;
    case "WebFetch":
      return inside.startsWith("domain:") ? `network(${inside.slice("domain:".length)})` : null;
    default:
      // Relative paths of the client have another meaning.
      return null;
  }
}
