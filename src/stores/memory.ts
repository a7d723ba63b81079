import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { runIdProblem } from "../core/run-id.ts";
import { BadRunIdError, RunLockedError } from "./errors.ts";
import { statusOf } from "./loader.ts";
import type { LockHolder, RunSummary, Store } from "./store.ts";

/**
 * Runs in memory, for tests. Only the folders of runs are real: they are made
 * in `dir`, or in a temporary folder that goes when the last run is removed.
 */
export function memoryStore(runs: readonly RunState[] = [], dir: string | null = null): Store {
  const saved = new Map(runs.map((run) => [run.id, run]));
  const locks = new Map<RunId, LockHolder>();
  const folders = new Set<string>();
  let made: Promise<string> | null = dir === null ? null : Promise.resolve(dir);

  const holder = (id: RunId) => Promise.resolve(locks.get(id) ?? null);
  const place = () => (made ??= mkdtemp(path.join(tmpdir(), "raymond-memory-")));

  const summary = async (run: RunState): Promise<RunSummary> => {
    return {
      id: run.id,
      status: await statusOf(run.status, () => holder(run.id)),
      workflow: run.workflow.path,
      simulated: run.backend === "simulation",
      costMicroUsd: run.totals.costMicroUsd,
      steps: run.steps,
      agents: run.agents.length,
      startedAt: run.startedAt,
      updatedAt: run.updatedAt,
      problem: null,
    };
  };

  return {
    save: (run) => {
      saved.set(checked(run.id), run);
      return Promise.resolve();
    },
    // An async function, so that a bad id rejects and does not throw.
    load: async (id) => Promise.resolve(saved.get(checked(id))),
    list: async () => {
      const all = await Promise.all([...saved.values()].map(summary));
      return all.sort((a, b) => (b.startedAt ?? "").localeCompare(a.startedAt ?? ""));
    },
    lock: async (id) => {
      const other = locks.get(checked(id));
      if (other !== undefined) throw new RunLockedError(id, other, "memory");
      const startedAt = new Date().toISOString();
      const mine = { host: "memory", pid: process.pid, startedAt, visible: true };
      locks.set(id, mine);
      return Promise.resolve({
        release: () => {
          if (locks.get(id) === mine) locks.delete(id);
          return Promise.resolve();
        },
      });
    },
    holder,
    remove: async (id) => {
      const other = locks.get(checked(id));
      if (other !== undefined) throw new RunLockedError(id, other, "memory");
      saved.delete(id);
      if (!folders.delete(id)) return;
      await rm(path.join(await place(), id), { recursive: true, force: true });
      if (dir !== null || folders.size > 0) return;
      await rm(await place(), { recursive: true, force: true });
      made = null;
    },
    runDir: async (id) => {
      const folder = path.join(await place(), checked(id));
      await mkdir(folder, { recursive: true });
      folders.add(id);
      return folder;
    },
  };
}

function checked(id: RunId): RunId {
  const problem = runIdProblem(id);
  if (problem !== null) throw new BadRunIdError(id, problem);
  return id;
}
