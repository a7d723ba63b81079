import type { Scope } from "../../src/ports/scope.ts";
import type { Workflows } from "../../src/ports/workflows.ts";

/** The workflows of a run that enters no other than its own. */
export function oneWorkflow(scope: Scope): Workflows {
  return {
    scope: () => scope,
    find: (_from, path) => {
      const message = `There is no workflow ${path}.`;
      return Promise.resolve({ ok: false, fault: { code: "bad-workflow", message } });
    },
    vars: () => Promise.resolve([]),
    protectedPaths: () => Promise.resolve([]),
    changeOf: () => Promise.resolve(null),
    acceptChange: () => undefined,
  };
}
