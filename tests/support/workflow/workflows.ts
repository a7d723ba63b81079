import type { Scope } from "../../../src/engine/ports/scope.ts";
import type { Workflows } from "../../../src/engine/ports/workflows.ts";
import { NONE_DECLARED } from "../../../src/language/permissions/declared.ts";
import { NO_ENVIRONMENT } from "../../../src/language/workflow/policy/declared-environment.ts";
import { NO_WORKTREE } from "../../../src/language/workflow/policy/worktree.ts";

/** The workflows of a run that uses only its own. */
export function oneWorkflow(scope: Scope): Workflows {
  return {
    scope: () => scope,
    find: (_from, path) => {
      const message = `There is no workflow ${path}.`;
      return Promise.resolve({ ok: false, fault: { code: "bad-workflow", message } });
    },
    vars: () => Promise.resolve([]),
    environment: () => Promise.resolve(NO_ENVIRONMENT),
    permissions: () => Promise.resolve(NONE_DECLARED),
    worktree: () => Promise.resolve(NO_WORKTREE),
    sandbox: () => Promise.resolve(null),
    agents: async (_workflow, state) => {
      const file = await scope.load(state).catch(() => null);
      return file?.kind === "prompt" ? file.agents : null;
    },
    protectedPaths: () => Promise.resolve([]),
    protectedNames: () => [],
    changeOf: () => Promise.resolve(null),
    acceptChange: () => undefined,
    refuseChange: () => undefined,
  };
}
