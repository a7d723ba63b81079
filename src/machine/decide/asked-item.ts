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
    default: {
      // A relative path starts at a folder that the call does not name.
      const place = `*${value.replace(/^~/, "")}`;
      return matches(place, input) || matches(`${place}/*`, input);
    }
  }
}

/** `*` matches any text. A command may have no arguments. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.split(/\*+/).map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  const whole = escaped.join(".*").replace(/ \.\*$/, "( .*)?");
  return new RegExp(`^${whole}$`, "s").test(text);
}
