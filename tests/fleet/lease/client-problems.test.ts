import { expect, it } from "vitest";
import { problemKey, problemWith } from "../../../src/fleet/lease/client-problems.ts";

const FOUND = {
  problems: { team: "claude is not logged in.", "team on codex": "codex is not logged in." },
  missing: ["pi"],
};

it("finds the problem of an account with the agents that a run needs", () => {
  expect(problemWith(FOUND, "team", ["claude"])).toBe("claude is not logged in.");
  expect(problemWith(FOUND, null, ["claude"])).toBeNull();
  expect(problemWith(FOUND, "team", ["codex"])).toBe("codex is not logged in.");
  expect(problemWith(FOUND, null, ["codex"])).toBeNull();
  expect(problemWith(FOUND, null, ["codex", "pi"])).toBe("The coding agent pi is not installed.");
});

it("names a problem by account and agent", () => {
  expect(problemKey("team", "claude")).toBe("team");
  expect(problemKey(null, "claude")).toBe("");
  expect(problemKey("team", "codex")).toBe("team on codex");
  expect(problemKey(null, "codex")).toBe("on codex");
});
