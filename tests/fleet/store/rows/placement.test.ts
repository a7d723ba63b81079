import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExpired } from "../../../../src/fleet/lease/lease.ts";
import {
  type ClaimCounts,
  countClaim,
  MAX_STALLED_CLAIMS,
  type Placement,
  placementVerdict,
  type Snapshot,
} from "../../../../src/fleet/store/rows/placement.ts";

const shared: Placement = {
  pool: "default",
  account: null,
  pinned: null,
  workspace: { kind: "shared", folder: "/repo" },
  sessions: { kind: "home" },
  failoverAfterMs: 120_000,
  inside: "",
  lostSession: "fail",
  entry: 1,
  at: null,
};

const UNKNOWN = { silentMs: null, lives: false };

const verdict = (placement: Placement, sight: Parameters<typeof placementVerdict>[1]) =>
  placementVerdict({ id: "r1", home: "m1", placement, snapshot: null }, sight).kind;

describe("the placement of a run whose machine may be dead", () => {
  it("is unchanged while the machine is alive, however long it was silent", () => {
    expect(verdict(shared, { silentMs: 10 ** 9, lives: true })).toBe("leave");
  });

  it("waits for the machine to come back, and then fails over", () => {
    expect(verdict(shared, { silentMs: 119_999, lives: false })).toBe("wait");
    expect(verdict(shared, { silentMs: 120_000, lives: false })).toBe("hand-over");
    expect(verdict(shared, UNKNOWN)).toBe("hand-over");
  });

  it.each([
    ["its files are only there", { workspace: { kind: "local", folder: null } }],
    ["only that machine may claim it", { pinned: "m1" }],
  ] as const)("waits for its home indefinitely if %s", (_, change) => {
    expect(verdict({ ...shared, ...change }, { silentMs: 10 ** 9, lives: false })).toBe(
      "wait-for-home",
    );
    expect(verdict({ ...shared, ...change }, UNKNOWN)).toBe("wait-for-home");
  });
});

describe("a run in a git workspace whose machine is dead", () => {
  const git = { kind: "git", repository: "r", commit: "c", subfolder: "" } as const;
  const verdictWith = (snapshot: Snapshot | null) =>
    placementVerdict(
      { id: "r1", home: "m1", placement: { ...shared, workspace: git }, snapshot },
      UNKNOWN,
    ).kind;

  it("fails over with the files at the remote", () => {
    expect(verdictWith(null)).toBe("hand-over");
    expect(verdictWith({ commit: "c", behind: null })).toBe("hand-over");
  });

  it("waits for its home while its last files are only there", () => {
    expect(verdictWith({ commit: "c", behind: "the remote is away" })).toBe("wait-for-home");
  });
});

describe("the count of claims", () => {
  it("sets a run aside after three claims in a row without progress", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (moves) => {
        let claims: ClaimCounts = { stalled: 0, steps: null };
        let steps = 0;
        let stalled = -1;
        for (const moved of [false, ...moves]) {
          steps += moved ? 1 : 0;
          stalled = moved ? 0 : stalled + 1;
          const counted = countClaim(claims, steps, "the server");
          expect(counted.poison).toBe(stalled > MAX_STALLED_CLAIMS);
          claims = counted;
        }
      }),
    );
  });
});

describe("a claim without progress", () => {
  it("does not count if the database server has restarted since", () => {
    let claims: ClaimCounts = { stalled: 0, steps: null };
    for (let start = 0; start < 3 * MAX_STALLED_CLAIMS; start += 1) {
      const counted = countClaim(claims, 5, `start ${String(start)}`);
      expect(counted.poison).toBe(false);
      claims = counted;
    }
    const again = [1, 2, 3, 4].map(() => {
      const counted = countClaim(claims, 5, "the last start");
      claims = counted;
      return counted.stalled;
    });
    expect(again).toEqual([0, 1, 2, 3]);
  });
});

describe("a lease", () => {
  it("expires for the worker before it expires for others", () => {
    expect(isExpired(1_000, 26_000, 30_000)).toBe(false);
    expect(isExpired(1_000, 26_001, 30_000)).toBe(true);
  });
});
