import { mustBeDeclared } from "../../language/protocol/scan/attributes.ts";
import type { DeclaredVar } from "../../language/workflow/files/manifest.ts";
import type { StateFile } from "../../language/workflow/files/state-file.ts";
import { declaredData } from "../../language/workflow/policy/policy.ts";
import type { Agent } from "../../machine/model/agent.ts";
import type { Scope } from "../ports/scope.ts";

/**
 * The attributes of an agent that a script does not receive as environment variables under their
 * own names (docs/protocol.md, "Attributes of scripts"). Those of `main` come from the user: from
 * `--var` and the workflow's own `vars`.
 */
export async function withheldAttributes(
  { id, attributes }: Pick<Agent, "id" | "attributes">,
  scope: Scope,
  vars: () => Promise<readonly DeclaredVar[]>,
): Promise<readonly string[]> {
  const names = Object.keys(attributes).filter(mustBeDeclared);
  if (id === "main" || names.length === 0) return [];
  const declared = new Set((await vars()).map(({ name }) => name));
  for (const file of await readableStates(scope)) {
    if (file.kind === "prompt") for (const name of declaredData(file.rules)) declared.add(name);
  }
  return names.filter((name) => !declared.has(name));
}

/** An unreadable state declares nothing: its own step reports the failure. */
async function readableStates(scope: Scope): Promise<readonly StateFile[]> {
  const names = await scope.names();
  const files = await Promise.all(names.map((name) => scope.load(name).catch(() => null)));
  return files.filter((file) => file !== null);
}
