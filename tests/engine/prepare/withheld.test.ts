import { describe, expect, it } from "vitest";
import type { Scope } from "../../../src/engine/ports/scope.ts";
import { withheldAttributes } from "../../../src/engine/prepare/withheld.ts";
import { parseManifest } from "../../../src/language/workflow/files/manifest.ts";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import { NO_SCHEMAS } from "../../support/workflow/no-schemas.ts";

const FORK_ITEM = `---
allowed_transitions:
  - { tag: fork, target: WORK, next: DONE, ITEM: "" }
  - { tag: fork, target: WORK, next: DONE, SIZE: large, cd: /tmp }
  - { tag: goto, target: DONE }
---
Fork.
`;

function scope(states: Readonly<Record<string, string>>): Scope {
  const path = (name: string) => `/flow/${name}`;
  return {
    dir: "/flow",
    names: () => Promise.resolve(Object.keys(states)),
    path,
    source: path,
    load: async (name) => Promise.resolve(parseStateFile(name, states[name] ?? "", path(name))),
    ...NO_SCHEMAS,
  };
}

function withheld(
  names: readonly string[],
  states: Readonly<Record<string, string>>,
  { id = "main_work1", manifest = "" } = {},
): Promise<readonly string[]> {
  const attributes = Object.fromEntries(names.map((name) => [name, "x"]));
  const vars = () => Promise.resolve(parseManifest(manifest).vars);
  return withheldAttributes({ id, attributes }, scope(states), vars);
}

describe("withheldAttributes", () => {
  it("withholds names in capitals that the workflow does not declare", async () => {
    const states = { "START.md": "Fork.\n", "WORK.sh": "true\n" };

    expect(await withheld(["item", "RM", "YACC"], states)).toEqual(["RM", "YACC"]);
  });

  it("passes what a rule for fork names, in any state of the workflow", async () => {
    const states = { "START.md": "Fork.\n", "PLAN.md": FORK_ITEM };

    expect(await withheld(["ITEM", "SIZE", "RM"], states)).toEqual(["RM"]);
  });

  it("passes what vars of workflow.yaml declare", async () => {
    const manifest = "vars:\n  ITEM:\n  SIZE: { default: large }\n";

    expect(await withheld(["ITEM", "SIZE", "RM"], {}, { manifest })).toEqual(["RM"]);
  });

  it("passes all attributes of the first agent, which the user sets", async () => {
    expect(await withheld(["ITEM"], {}, { id: "main" })).toEqual([]);
  });

  it("ignores an unreadable state", async () => {
    const states = { "BROKEN.md": "---\nallowed_transitions: 7\n---\n", "PLAN.md": FORK_ITEM };

    expect(await withheld(["ITEM", "RM"], states)).toEqual(["RM"]);
  });
});
