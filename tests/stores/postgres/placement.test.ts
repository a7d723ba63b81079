import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOver } from "../../../src/stores/postgres/lease.ts";
import {
  countTake,
  judgePlace,
  MOST_TAKES,
  type Placement,
  type Snapshot,
  type Takes,
} from "../../../src/stores/postgres/placement.ts";

const shared: Placement = {
  pool: "default",
  account: null,
  pinned: null,
  workspace: { kind: "shared", folder: "/repo" },
  sessions: { kind: "home" },
  failoverAfterMs: 120_000,
  inside: "",
  lostSession: "fail",
  go: 1,
  at: null,
};

const judged = (placement: Placement, sight: Parameters<typeof judgePlace>[1]) =>
  judgePlace({ id: "r1", home: "m1", placement, snapshot: null }, sight).kind;

describe("where a run whose machine may be gone goes on", () => {
  it("leaves it to a machine that lives, however long that was silent", () => {
    expect(judged(shared, { silentMs: 10 ** 9, lives: true })).toBe("leave");
  });

  it("waits for the machine to come back, and then hands the run over", () => {
    expect(judged(shared, { silentMs: 119_999, lives: false })).toBe("wait");
    expect(judged(shared, { silentMs: 120_000, lives: false })).toBe("hand-over");
    expect(judged(shared, null)).toBe("hand-over");
  });

  it.each([
    ["its files are only there", { workspace: { kind: "local", folder: null } }],
    ["only that one may take it", { pinned: "m1" }],
  ] as const)("waits for its home for ever where %s", (_, change) => {
    expect(judged({ ...shared, ...change }, { silentMs: 10 ** 9, lives: false })).toBe(
      "wait-for-home",
    );
    expect(judged({ ...shared, ...change }, null)).toBe("wait-for-home");
  });
});

describe("a run in a git workspace whose machine is gone", () => {
  const git = { kind: "git", repository: "r", commit: "c", subfolder: "" } as const;
  const judgedWith = (snapshot: Snapshot | null) =>
    judgePlace({ id: "r1", home: "m1", placement: { ...shared, workspace: git }, snapshot }, null)
      .kind;

  it("goes on elsewhere with the files that are at the remote", () => {
    expect(judgedWith(null)).toBe("hand-over");
    expect(judgedWith({ commit: "c", behind: null })).toBe("hand-over");
  });

  it("waits for its home while its last files are only there", () => {
    expect(judgedWith({ commit: "c", behind: "the remote is away" })).toBe("wait-for-home");
  });
});

describe("the count of takes", () => {
  it("sets a run aside that was taken over three times without a step in between, and none that moves", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (moves) => {
        let takes: Takes = { vain: 0, steps: null };
        let steps = 0;
        let inVain = -1;
        for (const moved of [false, ...moves]) {
          steps += moved ? 1 : 0;
          inVain = moved ? 0 : inVain + 1;
          const counted = countTake(takes, steps, "the server");
          expect(counted.poison).toBe(inVain > MOST_TAKES);
          takes = counted;
        }
      }),
    );
  });
});

describe("a run that was taken in vain", () => {
  it("is not blamed for a take behind which the database's server began anew", () => {
    let takes: Takes = { vain: 0, steps: null };
    for (let start = 0; start < 3 * MOST_TAKES; start += 1) {
      const counted = countTake(takes, 5, `start ${String(start)}`);
      expect(counted.poison).toBe(false);
      takes = counted;
    }
    const again = [1, 2, 3, 4].map(() => {
      const counted = countTake(takes, 5, "the last start");
      takes = counted;
      return counted.vain;
    });
    expect(again).toEqual([0, 1, 2, 3]);
  });
});

describe("a lease", () => {
  it("is over for the worker before it is for the others", () => {
    expect(isOver(1_000, 26_000, 30_000)).toBe(false);
    expect(isOver(1_000, 26_001, 30_000)).toBe(true);
  });
});
