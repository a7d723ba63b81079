import type { Agent } from "../core/machine/agent.ts";
import { mustBeDeclared } from "../core/protocol/attributes.ts";
import type { DeclaredVar } from "../core/workflow/manifest.ts";
import { declaredData } from "../core/workflow/policy.ts";
import type { StateFile } from "../core/workflow/state-file.ts";
import type { Scope } from "../ports/scope.ts";

/**
 * The attributes of an agent that a script of its workflow does not get as environment variables of
 * their own names (docs/protocol.md, "Attributes of scripts"). Those of `main` are the user's: of
 * `--var`, and of the workflow's own `vars`.
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

/** A state that cannot be read declares nothing: that is a failure of its own step. */
async function readableStates(scope: Scope): Promise<readonly StateFile[]> {
  const names = await scope.names();
  const files = await Promise.all(names.map((name) => scope.load(name).catch(() => null)));
  return files.filter((file) => file !== null);
}
