import { describe, expect, it } from "vitest";
import {
  needsOf,
  type Policy,
  type PolicyFacts,
  policyProblem,
} from "../../../src/fleet/policy/policy.ts";

const ALL: Policy = { folders: null, repositories: null, permissions: null, clients: null };
const RUN: PolicyFacts = {
  workspace: { kind: "shared", folder: "/srv/work/a" },
  permissions: "edit",
  clients: [],
};
const git = (repository: string) =>
  ({ kind: "git", repository, commit: "HEAD", subfolder: "" }) as const;

describe("the policy of a worker", () => {
  it("allows everything that it does not mention", () => {
    expect(policyProblem(null, RUN)).toBeNull();
    expect(policyProblem(ALL, { ...RUN, permissions: "full", clients: ["/x"] })).toBeNull();
  });

  it.each([
    ["/srv/work", true],
    ["/srv/work/a", true],
    ["/srv/work/ab", false],
    ["/srv/work/a/b", false],
    ["/srv/other", false],
  ])("with the folder %s allows the folder of the run: %s", (folder, isAllowed) => {
    expect(policyProblem({ ...ALL, folders: [folder] }, RUN) === null).toBe(isAllowed);
  });

  it("names the folder that it refuses and those that it allows", () => {
    expect(policyProblem({ ...ALL, folders: ["/srv/b"] }, RUN)).toBe(
      "it does not allow the folder /srv/work/a (allowed: /srv/b)",
    );
    expect(policyProblem({ ...ALL, folders: [] }, RUN)).toMatch(/\(allowed: none\)/);
  });

  it("never refuses a folder that the worker creates for the run", () => {
    const own = { ...RUN, workspace: { kind: "local", folder: null } } as const;

    expect(policyProblem({ ...ALL, folders: [] }, own)).toBeNull();
  });

  it.each([
    ["https://git.example.com/team/a.git", true],
    ["https://git.example.com/team/sub/b", true],
    ["https://git.example.com/team", false],
    ["https://git.example.com/team/../evil/c", false],
    ["https://git.example.com/team/%2e%2e/evil/c", false],
    ["https://git.example.com/teams/d", false],
    ["https://one.example.com/e", true],
    ["https://one.example.com/e.git", true],
    ["https://one.example.com/e/f", false],
  ])("decides about the repository %s: %s", (repository, isAllowed) => {
    const repositories = ["https://git.example.com/team/*", "https://one.example.com/e.git"];
    const workspace = git(repository);

    expect(policyProblem({ ...ALL, repositories }, { ...RUN, workspace }) === null).toBe(isAllowed);
  });

  it("limits permissions and clients", () => {
    expect(policyProblem({ ...ALL, permissions: "read-only" }, RUN)).toMatch(
      /allows at most the permissions "read-only", and the run may have "edit"/,
    );
    expect(policyProblem({ ...ALL, permissions: "full" }, RUN)).toBeNull();
    expect(policyProblem({ ...ALL, clients: ["claude"] }, { ...RUN, clients: ["/tmp/x"] })).toMatch(
      /does not allow the client \/tmp\/x/,
    );
    expect(policyProblem({ ...ALL, clients: [] }, RUN)).toBeNull();
  });
});

describe("the permissions of a run", () => {
  const NO_LISTS = { allow: null, allowedTools: null, clients: {} } as const;

  it.each([
    ["full", { permissions: null, skipPermissions: true }],
    ["full", { permissions: null, skipPermissions: false }],
    ["edit", { permissions: "edit", skipPermissions: false }],
    ["read-only", { permissions: "read-only", skipPermissions: false, allow: [] }],
    ["full", { permissions: "edit", skipPermissions: false, allow: ["command(*)"] }],
    ["full", { permissions: "edit", skipPermissions: false, allowedTools: ["Bash"] }],
  ] as const)("count as %s with %j", (level, given) => {
    expect(needsOf({ ...NO_LISTS, ...given }, "claude").permissions).toBe(level);
  });
});
