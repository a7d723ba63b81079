import path from "node:path";
import type { Scope } from "../../src/engine/ports/scope.ts";
import type { Workflows } from "../../src/engine/ports/workflows.ts";
import { NONE_DECLARED } from "../../src/language/permissions/declared.ts";
import type { StateName } from "../../src/language/protocol/transition.ts";
import { NO_MANIFEST } from "../../src/language/workflow/files/manifest.ts";
import { parseStateFile } from "../../src/language/workflow/files/parse-state-file.ts";
import { NO_ENVIRONMENT } from "../../src/language/workflow/policy/declared-environment.ts";
import { NO_WORKTREE } from "../../src/language/workflow/policy/worktree.ts";
import { resolveState } from "../../src/language/workflow/resolve.ts";
import { NO_SCHEMAS } from "../support/workflow/no-schemas.ts";
import type { Outliving } from "./lifetime.ts";
import { GATE, HOME } from "./program.ts";

/** The folders of a program's workflows, in one library. */
export function modelWorkflows(all: Outliving): Workflows {
  const { program, schedule } = all;
  const namesIn = (workflow: string | null): readonly StateName[] => {
    const before = workflow === null ? "" : `${workflow}/`;
    const own = program.states.filter(({ name }) => name.startsWith(before));
    const names = own.map(({ name }) => name.slice(before.length));
    return [...names.filter((name) => !name.includes("/")), GATE];
  };
  const scope = (workflow: string | null): Scope => {
    const dir = `/repo/${workflow ?? HOME}`;
    const fullName = (name: string) => (workflow === null ? name : `${workflow}/${name}`);
    return {
      dir,
      names: () => Promise.resolve(namesIn(workflow)),
      load: async (wanted) => {
        await schedule.turn(`read ${fullName(wanted)}`);
        // A gate has no state of the program, and no text that matters.
        const text = program.states.find(({ name }) => name === fullName(wanted))?.text ?? "true\n";
        // The user raises it before each resume.
        const budget = 0.05 * 10 ** Math.min(4, all.lives);
        const raised = text.replace("budget: 0.05", `budget: ${budget.toFixed(2)}`);
        return parseStateFile(wanted, raised, `${dir}/${wanted}`);
      },
      path: (name) => `${dir}/${name}`,
      source: (name) => `${dir}/${name}`,
      ...NO_SCHEMAS,
    };
  };
  return {
    scope,
    find: async (from, written) => {
      await schedule.turn(`look for ${written}`);
      const place = path.posix.resolve(`/repo/${from ?? HOME}`, written);
      const [folder = "", name = "1_START"] = place.replace("/repo/", "").split("/");
      const workflow = folder === HOME ? null : folder;
      const found = resolveState(namesIn(workflow), name, "unix");
      return found.ok
        ? { ok: true, entry: { workflow, state: found.name }, parameters: NO_MANIFEST }
        : found;
    },
    vars: () => Promise.resolve([]),
    environment: () => Promise.resolve(NO_ENVIRONMENT),
    permissions: () => Promise.resolve(NONE_DECLARED),
    worktree: () => Promise.resolve(NO_WORKTREE),
    sandbox: () => Promise.resolve(null),
    agents: async (workflow, state) => {
      const name = workflow === null ? state : `${workflow}/${state}`;
      await schedule.turn(`read the agents of ${name}`);
      return program.states.find((one) => one.name === name)?.agents ?? null;
    },
    protectedPaths: () => Promise.resolve([]),
    protectedNames: () => [],
    changeOf: () => Promise.resolve(null),
    acceptChange: () => undefined,
    refuseChange: () => undefined,
  };
}
