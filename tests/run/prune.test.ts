import { readFile, symlink } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oldRuns, prune } from "../../src/run/prune.ts";
import { start } from "../../src/run/start.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { tempProject } from "../support/project.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);
const daysAgo = (days: number) => new Date(NOW - days * DAY).toISOString();

const SAFE = ["running", "waiting", "unreadable"] as const;
const RESUMABLE = ["failed", "paused", "interrupted", "budget_exceeded", "crashed"] as const;

const anyRuns = fc.array(
  fc.record({
    status: fc.constantFrom("completed" as const, ...SAFE, ...RESUMABLE),
    updatedAt: fc.integer({ min: 0, max: 60 }).map(daysAgo),
  }),
);
const anyRule = fc.record({
  all: fc.boolean(),
  olderThanMs: fc.option(fc.integer({ min: 0, max: 60 }).map((days) => days * DAY)),
  keep: fc.integer({ min: 0, max: 10 }),
});

describe("oldRuns", () => {
  it("returns completed runs, and with --all also stopped ones", () => {
    const runs = [...SAFE, ...RESUMABLE, "completed" as const].map((status) => ({
      status,
      updatedAt: daysAgo(1),
    }));
    const taken = (all: boolean) =>
      oldRuns(runs, { all, olderThanMs: null, keep: 0 }, NOW).map(({ status }) => status);

    expect(taken(false)).toEqual(["completed"]);
    expect(taken(true).toSorted()).toEqual(["completed", ...RESUMABLE].toSorted());
  });

  it("combines --older-than and --keep", () => {
    const runs = [1, 5, 20, 30, 40].map((days) => ({
      status: "completed" as const,
      updatedAt: daysAgo(days),
    }));
    const taken = (days: number | null, keep: number) =>
      oldRuns(runs, { all: false, olderThanMs: days === null ? null : days * DAY, keep }, NOW).map(
        ({ updatedAt }) => (NOW - Date.parse(updatedAt)) / DAY,
      );

    expect(taken(null, 2)).toEqual([40, 30, 20]);
    expect(taken(14, 0)).toEqual([40, 30, 20]);
    expect(taken(14, 4)).toEqual([40]);
    expect(taken(20, 0)).toEqual([40, 30]);
    expect(taken(14, 9)).toEqual([]);
  });

  it("never returns live, too recent or kept runs", () => {
    fc.assert(
      fc.property(anyRuns, anyRule, (runs, rule) => {
        const taken = oldRuns(runs, rule, NOW);
        const candidates = runs.filter(
          ({ status }) =>
            status === "completed" || (rule.all && RESUMABLE.some((each) => each === status)),
        );
        const stay = candidates.filter((run) => !taken.includes(run));

        expect(candidates).toEqual(expect.arrayContaining([...taken]));
        expect(stay.length).toBeGreaterThanOrEqual(Math.min(rule.keep, candidates.length));
        for (const run of taken) {
          if (rule.olderThanMs !== null) {
            expect(NOW - Date.parse(run.updatedAt)).toBeGreaterThan(rule.olderThanMs);
          }
          for (const other of stay) expect(other.updatedAt >= run.updatedAt).toBe(true);
        }
      }),
    );
  });
});

describe("prune", () => {
  it("records who deleted a run, outside the log that it deletes", async () => {
    const { dir, env } = await tempProject({ "w/1_START.sh": "echo '<result>done</result>'" });
    const actor = { user: "root", host: "build-7", via: "command", sudoUser: "jane" } as const;
    const caller = thisProcess({ cwd: dir, env, actor: () => actor });
    await start({ workflow: "w", id: "one" }, caller);

    await prune({ runs: ["one"] }, caller);

    const log = await readFile(path.join(dir, ".raymond", "audit.jsonl"), "utf8");
    expect(JSON.parse(log)).toMatchObject({
      ...{ action: "prune", run: "one" },
      actor: { user: "root", host: "build-7", via: "command", sudo_user: "jane" },
    });
  });

  it("writes through no link that the project contains", async () => {
    const { dir, env } = await tempProject({ "w/1_START.sh": "echo '<result>done</result>'" });
    const caller = thisProcess({ cwd: dir, env });
    await start({ workflow: "w", id: "one" }, caller);
    await symlink(path.join(dir, "target"), path.join(dir, ".raymond", "audit.jsonl"));

    await expect(prune({ runs: ["one"] }, caller)).rejects.toMatchObject({ code: "ELOOP" });

    await expect(readFile(path.join(dir, "target"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
