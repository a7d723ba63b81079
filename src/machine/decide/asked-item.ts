import { parsePermission } from "../../language/permissions/permission.ts";
import type { Denial } from "../model/denial.ts";

/** A denied call with the item of `asked` that describes it, if there is one. */
export function withAsked(call: Denial, asked: readonly string[]): Denial {
  const item = asked.find((each) => describes(each, call));
  return item === undefined ? call : { ...call, asked: item };
}

/** The tools that the kinds of items apply to. */
const TOOLS: Readonly<Record<string, string>> = {
  ...{ Bash: "command", WebFetch: "network", Read: "read" },
  ...{ Edit: "write", MultiEdit: "write", NotebookEdit: "write", Write: "write" },
};

function describes(item: string, { tool, input }: Denial): boolean {
  const parsed = parsePermission(item);
  if (!parsed.ok) return false;
  const { kind, value } = parsed.permission;
  if (kind === "tool") return matches(value, tool);
  if (TOOLS[tool] !== kind) return false;
  switch (kind) {
    case "command":
      return input.split(/[&|;\n]+/).some((part) => matches(value, part.trim()));
    case "network":
      return URL.canParse(input) && matches(value, new URL(input).hostname);
    case "read":
    case "write": {
      // A relative path starts at a folder that the call does not name.
      const place = `*${value.replace(/^~/, "")}`;
      return matches(place, input) || matches(`${place}/*`, input);
    }
  }
}

/** `*` matches any text. A command may have no arguments. */
function matches(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && matches(pattern.slice(0, -2), text)) return true;
  // Part by part, and not as a regular expression, which can take exponential time.
  const [first = "", ...others] = pattern.split(/\*+/);
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
