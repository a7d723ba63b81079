import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LEVELS, printPermission } from "../../../src/language/permissions/permission.ts";
import { permissionOfRule } from "../../../src/language/permissions/tool-rule.ts";
import { parseManifest } from "../../../src/language/workflow/files/manifest.ts";
import { parsePrompt } from "../../../src/language/workflow/front-matter.ts";
import { refusedWarning } from "../../../src/machine/decide/permission-warnings.ts";
import {
  isFixed,
  levelOf,
  permissionsOf,
  UNSET,
  type UserPermissions,
} from "../../../src/machine/decide/permissions.ts";

/** The permissions of a state with this front matter, below a `workflow.yaml`. */
function permit(user: Partial<UserPermissions>, state: string, workflow = "") {
  const file = parsePrompt("S.md", state === "" ? "Do it." : `---\n${state}\n---\nDo it.`);
  return permissionsOf(file, parseManifest(workflow).permissions, { ...UNSET, ...user });
}

const texts = (user: Partial<UserPermissions>, state: string, workflow = "") =>
  permit(user, state, workflow).call.allow.map(printPermission);

describe("the level of a state", () => {
  it.each([
    [{}, "", "edit"],
    [{}, "permissions: read-only", "read-only"],
    [{}, "permissions: full", "edit"],
    [{ permissions: "edit" }, "permissions: full", "edit"],
    [{ permissions: "read-only" }, "permissions: edit", "read-only"],
    [{ skipPermissions: true }, "", "full"],
    [{ skipPermissions: true }, "permissions: edit", "edit"],
  ] as const)("with the settings %j and %j is %s", (user, state, level) => {
    expect(permit(user, state).call.level).toBe(level);
  });

  it("is that of workflow.yaml unless the state declares one", () => {
    const workflow = "permissions: read-only";

    expect(permit({}, "", workflow).call.level).toBe("read-only");
    expect(permit({}, "permissions: edit", workflow).call.level).toBe("edit");
    expect(permit({ permissions: "read-only" }, "permissions: edit", workflow).call.level).toBe(
      "read-only",
    );
  });
});

describe("allow of a state", () => {
  const user = { allow: ["command(npm test *)", "write(docs/**)"] };

  it("selects items of the user", () => {
    expect(texts(user, "allow: [write(docs/**)]")).toEqual(["write(docs/**)"]);
    expect(texts(user, "allow: []")).toEqual([]);
    expect(texts(user, "")).toEqual(user.allow);
  });

  it.each([
    [{}, "", undefined],
    [{}, "deny: [command(rm *)]", undefined],
    [{}, "allowed_tools: [Read]", true],
    [{}, "allow: []", true],
    [{ permissions: "edit" }, "permissions: read-only", true],
  ] as const)("must list an item as well with %j and %j: %s", (settings, state, narrowed) => {
    expect(permit(settings, state).call.narrowed).toBe(narrowed);
  });

  it("grants nothing that the user does not allow", () => {
    const { call, refused } = permit(user, "allow: [command(git push *), command(npm test *)]");

    expect(call.allow.map(printPermission)).toEqual(["command(npm test *)"]);
    expect(refused).toEqual(["command(git push *)"]);
    expect(texts({}, "allow: [command(git push *)]")).toEqual([]);
  });

  it("is covered by an item for all commands or hosts, and by the level full", () => {
    expect(texts({ allow: ["command(*)"] }, "allow: [command(npm test)]")).toEqual([
      "command(npm test)",
    ]);
    expect(
      texts({ skipPermissions: true }, "permissions: edit\nallow: [command(npm test)]"),
    ).toEqual(["command(npm test)"]);
  });

  it("replaces the items of the run where the state has a lower level", () => {
    expect(texts({ ...user, permissions: "edit" }, "permissions: read-only")).toEqual([]);
    expect(
      texts({ ...user, permissions: "edit" }, "permissions: read-only\nallow: [write(docs/**)]"),
    ).toEqual(["write(docs/**)"]);
  });

  it("and allowed_tools are one list in two notations", () => {
    expect(texts(user, "allowed_tools: ['Bash(npm test *)', 'Bash(npm test:*)']")).toEqual([
      "command(npm test *)",
    ]);
    expect(
      permit({ allowedTools: ["Bash(npm test)"] }, "allow: [command(npm test)]").call.allowedTools,
    ).toEqual(["Bash(npm test)"]);
  });
});

describe("allowed_tools of a state", () => {
  const state = "allowed_tools: ['Bash(npm test)', Edit]";

  it.each([{}, { permissions: "edit" }, { allow: [] }, { deny: [] }] as const)(
    "grants nothing with the settings %j, and is named with the flag to add",
    (user) => {
      const { call, refused } = permit(user, state);

      expect(call).toMatchObject({ allow: [], allowedTools: null });
      expect(call.asked).toEqual(["command(npm test)", "tool(Edit)"]);
      expect(refused).toEqual(["Bash(npm test)", "Edit"]);
      expect(refusedWarning(permit(user, state), { ...UNSET, ...user })).toEqual({
        message:
          "The state asks for more than your settings allow, and does not get it: Bash(npm test), Edit.",
        hint: "Add --allow 'command(npm test),tool(Edit)', or the same setting in config.toml, if you trust the workflow with it.",
      });
    },
  );

  it("is not named if the user allows it", () => {
    const user = { allowedTools: ["Bash(npm test)", "Edit"] };

    expect(refusedWarning(permit(user, state), { ...UNSET, ...user })).toBeNull();
    expect(permit(user, state).call.asked).toBeUndefined();
  });

  it("is named with all flags, in a form that a shell reads", () => {
    const asks =
      "permissions: full\nallow: [\"command(echo it's *)\"]\nallowed_tools: ['Read(src)']";

    expect(refusedWarning(permit({}, asks), UNSET)?.hint).toContain(
      "Add --permissions full --allow 'command(echo it'\\''s *)' --allowed-tools 'Read(src)', or",
    );
  });
});

describe("lists that deny", () => {
  it("add up", () => {
    const user = { deny: ["read(.env)"], disallowedTools: ["WebFetch"] };
    const state = "deny: [command(rm *)]\ndisallowed_tools: [WebSearch]";

    const { call } = permit(user, state, "deny: [network(*), read(.env)]");

    expect(call.deny.map(printPermission)).toEqual(["read(.env)", "network(*)", "command(rm *)"]);
    expect(call.disallowedTools).toEqual(["WebFetch", "WebSearch"]);
  });
});

describe("a warning about a state", () => {
  it("names what it asks for, and the settings that would allow it", () => {
    const asked = "permissions: full\nallow: [command(npm publish)]\ntools: [Read, Bash]";
    const user = { permissions: "edit", tools: ["Read"] } as const;

    expect(refusedWarning(permit(user, asked), { ...UNSET, ...user })).toEqual({
      message:
        "The state asks for more than your settings allow, and does not get it: permissions: full, command(npm publish), tool Bash. The state runs with edit.",
      hint: "Add --permissions full --allow 'command(npm publish)', or the same setting in config.toml, if you trust the workflow with it.",
    });
    expect(permit(user, asked).call.tools).toEqual(["Read"]);
  });
});

const ITEMS = ["command(npm test *)", "command(*)", "read(.env)", "write(docs/**)", "network(*)"];
const TOOLS = ["Read", "Bash", "Bash(npm test:*)", "Edit(/x)", "WebFetch", "default"];
const anyList = (items: readonly string[]) => fc.option(fc.subarray([...items]), { freq: 1 });
const anyUser: fc.Arbitrary<UserPermissions> = fc.record({
  permissions: fc.option(fc.constantFrom(...LEVELS)),
  skipPermissions: fc.boolean(),
  allow: anyList(ITEMS),
  deny: anyList(ITEMS),
  tools: anyList(TOOLS),
  allowedTools: anyList(TOOLS),
  disallowedTools: anyList(TOOLS),
});
const anyKeys = fc
  .record({
    permissions: fc.option(fc.constantFrom(...LEVELS)),
    allow: anyList(ITEMS),
    deny: anyList(ITEMS),
  })
  .map(print);
const anyState = fc
  .tuple(
    anyKeys,
    fc
      .record({
        tools: anyList(TOOLS),
        allowed_tools: anyList(TOOLS),
        disallowed_tools: anyList(TOOLS),
      })
      .map(print),
  )
  .map((parts) => parts.filter((part) => part !== "").join("\n"));

function print(keys: Readonly<Record<string, unknown>>): string {
  return Object.entries(keys)
    .flatMap(([key, value]) => (value === null ? [] : `${key}: ${JSON.stringify(value)}`))
    .join("\n");
}

describe("permissionsOf", () => {
  it("never exceeds the settings of the user, whatever a workflow declares", () => {
    fc.assert(
      fc.property(anyUser, anyState, anyKeys, (user, state, workflow) => {
        const { call } = permit(user, state, workflow);
        const own = levelOf(user);
        expect(LEVELS.indexOf(call.level)).toBeLessThanOrEqual(LEVELS.indexOf(own));
        const has = [...(user.allow ?? []), ...(user.allowedTools ?? [])].map(named);
        for (const item of [...call.allow.map(printPermission), ...(call.allowedTools ?? [])]) {
          const [kind = ""] = named(item).split("(");
          expect(
            own === "full" || [named(item), `${kind}(*)`].some((one) => has.includes(one)),
          ).toBe(true);
        }
        expect(call.deny.map(printPermission)).toEqual(
          expect.arrayContaining([...(user.deny ?? [])]),
        );
        expect(call.disallowedTools ?? []).toEqual(
          expect.arrayContaining([...(user.disallowedTools ?? [])]),
        );
        if (user.tools !== null && isFixed(user))
          expect(user.tools).toEqual(expect.arrayContaining([...(call.tools ?? [])]));
        if (user.tools !== null) expect(call.tools).not.toBeNull();
      }),
    );
  });

  it("gives a state without declarations those of the user", () => {
    fc.assert(
      fc.property(anyUser, (user) => {
        const { call, refused } = permit(user, "");
        expect(call.level).toBe(levelOf(user));
        expect(call.allow.map(printPermission)).toEqual(user.allow ?? []);
        expect(call).toMatchObject({ tools: user.tools, allowedTools: user.allowedTools });
        expect(refused).toEqual([]);
      }),
    );
  });
});

function named(item: string): string {
  return permissionOfRule(item) ?? item;
}
