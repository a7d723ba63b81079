import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { Denial } from "../../../machine/model/denial.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../common/json-fields.ts";
import { withheldNotice } from "../withheld-tools.ts";
import { denialOf, readDenial } from "./result-event.ts";

/**
 * The denied tool calls of a turn. 2.1.197 does not list calls of file tools that a deny rule denied among the
 * `permission_denials` of its result (measured), so they are recognized by the text of their error.
 */
export class DeniedCalls {
  readonly #pending = new Map<string, Denial>();
  readonly #byRule = new Map<string, Denial>();

  used(id: string, tool: string, input: JsonObject): void {
    this.#pending.set(id, denialOf(tool, input));
  }

  answered(id: string, block: JsonObject): void {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    if (call === undefined || valueAt(block, "is_error") !== true) return;
    if (DENIED_BY_RULE.test(textAt(block, "content") ?? "")) this.#byRule.set(id, call);
  }

  /** The calls that a `result` lists, and those that it lacks. Begins a new turn. */
  ofResult(event: JsonObject): readonly Denial[] {
    const listed = objectsAt(event, "permission_denials");
    for (const denial of listed) this.#byRule.delete(textAt(denial, "tool_use_id") ?? "");
    // The user cannot allow these, so they are no denials for the user.
    const others = listed.filter(
      (denial) =>
        withheldNotice(textAt(denial, "tool_name") ?? "", objectAt(denial, "tool_input")) === null,
    );
    const denials = [...others.map(readDenial), ...this.#byRule.values()];
    this.#byRule.clear();
    this.#pending.clear();
    return denials;
  }
}

/** The complete output of the tool: what a command prints starts otherwise. */
export const DENIED_BY_RULE =
  /^<tool_use_error>File is in a directory that is denied by your permission settings\.<\/tool_use_error>/;
