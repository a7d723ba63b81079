import fc from "fast-check";
import type { RunLock } from "../../../src/engine/ports/store.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { fileStore } from "../../../src/storage/file.ts";
import {
  type DiskFailure,
  type DiskUser,
  simulatedDisk,
} from "../../support/disk/simulated-disk.ts";
import { run } from "../../support/runs.ts";

const ROOT = "/project/.raymond";
const IDS = ["r1", "r2"] as const;
/** Results in the state file and in separate files. */
const TEXTS = ["short", "x".repeat(66_000), "y".repeat(66_000)];

type Act =
  | { readonly do: "save"; readonly text: number }
  | { readonly do: "lock" | "release" | "remove" };

/** The operations of a process on a run, and its faults. */
interface Lifetime {
  readonly acts: readonly Act[];
  readonly failure: DiskFailure | null;
}

/** One or two concurrent processes with a run each, and how the round ends. */
interface Round {
  readonly lives: readonly [Lifetime, Lifetime | null];
  readonly end: "all are dead" | "power is lost" | "power is lost when one dies";
}

const save: fc.Arbitrary<Act> = fc.record({
  do: fc.constant("save" as const),
  text: fc.nat(TEXTS.length - 1),
});
const other: fc.Arbitrary<Act> = fc.record({
  do: fc.constantFrom("lock", "release", "remove"),
});
const anyFailure = fc.record({
  at: fc.integer({ min: 1, max: 40 }),
  how: fc.constantFrom("die", "die", "EIO", "ENOSPC"),
});
const anyLife: fc.Arbitrary<Lifetime> = fc.record({
  acts: fc.array(fc.oneof({ weight: 3, arbitrary: save }, { weight: 2, arbitrary: other }), {
    minLength: 1,
    maxLength: 6,
  }),
  failure: fc.option(anyFailure, { nil: null }),
});

export const anyRound: fc.Arbitrary<Round> = fc.record({
  lives: fc.tuple<[Lifetime, Lifetime | null]>(anyLife, fc.option(anyLife, { nil: null })),
  end: fc.constantFrom("all are dead", "power is lost", "power is lost when one dies"),
});

/** A project on a simulated disk with its valid states. */
export interface StoreHistory {
  /** Resolves when all processes of the round have ended or died. */
  live(round: Round): Promise<void>;
  /** Violations that a later process finds. */
  judge(): Promise<readonly string[]>;
}

/** An empty project. The seed determines interleaving and data loss. */
export async function storeHistory(seed: number): Promise<StoreHistory> {
  const disk = simulatedDisk(numbers(seed));
  const alive = new Set<number>();
  /** Valid states by run: the last successful save, and later attempts. */
  const possible = new Map<string, readonly (RunState | undefined)[]>(
    IDS.map((id) => [id, [undefined]]),
  );
  const surprises: string[] = [];
  let pids = 0;
  let boot = 0;
  let steps = 0;

  const begin = (user: DiskUser) => {
    pids += 1;
    const pid = pids;
    alive.add(pid);
    const store = fileStore(ROOT, {
      disk: user.disk,
      pid,
      place: { host: "here", machine: "m", boot: String(boot), namespace: "n" },
      identify: (wanted) => Promise.resolve(alive.has(wanted) ? String(wanted) : null),
      now: () => new Date(0),
    });
    return { store, pid };
  };

  const liveOne = async (id: string, { acts }: Lifetime, user: DiskUser) => {
    const { store, pid } = begin(user);
    let lock: RunLock | null = null;
    const ask = async (to: RunState | undefined, work: () => Promise<void>) => {
      possible.set(id, [...(possible.get(id) ?? []), to]);
      await work();
      possible.set(id, [to]);
    };
    const act = async (what: Act) => {
      switch (what.do) {
        case "save": {
          steps += 1;
          const before = (await store.load(id))?.saves ?? 0;
          const results = { main: TEXTS[what.text] ?? "" };
          const state = run({ id, steps, results, saves: before + 1 });
          return ask(state, () => store.save(state, before));
        }
        case "lock":
          lock ??= await store.lock(id);
          return;
        case "release":
          await lock?.release();
          lock = null;
          return;
        case "remove":
          await lock?.release();
          lock = null;
          return ask(undefined, () => store.remove(id));
      }
    };
    const work = async () => {
      for (const what of acts) {
        try {
          await act(what);
        } catch (error) {
          const reported = error instanceof RaymondError && error.code === "store/disk";
          // A lock whose release failed ends with its process.
          const own =
            error instanceof RaymondError && error.message.includes(`process ${String(pid)} `);
          // A killed process continues until its next disk call.
          if (alive.has(pid) && !reported && !own)
            surprises.push(`${id}: ${what.do} ended in ${String(error)}`);
        }
      }
    };
    await Promise.race([work(), user.dead]);
    alive.delete(pid);
  };

  const healthy = disk.user();
  await healthy.disk.makeFolder("/project");
  await healthy.disk.syncFolder("/");

  return {
    live: async ({ lives, end }) => {
      const users: DiskUser[] = [];
      const living = lives.flatMap((life, index) => {
        const id = IDS[index];
        if (life === null || id === undefined) return [];
        const user = disk.user(life.failure);
        users.push(user);
        return [liveOne(id, life, user)];
      });
      if (end === "power is lost when one dies") {
        await Promise.race([...living, ...users.map(({ dead }) => dead)]);
      } else {
        await Promise.all(living);
      }
      if (end === "all are dead") return;
      disk.losePower();
      boot += 1;
      await Promise.all(living);
    },

    judge: async () => {
      const user = disk.user();
      const { store, pid } = begin(user);
      const wrong = surprises.splice(0);
      for (const id of IDS) {
        const found = await store.load(id).catch((error: unknown) => String(error));
        const allowed = possible.get(id) ?? [];
        const known = allowed.some(
          (each) => each?.steps === stepsOf(found) && typeof found !== "string",
        );
        if (!known) {
          const wanted = allowed.map((each) => String(each?.steps)).join(" or ");
          wrong.push(
            `${id} should be at ${wanted}, and is ${typeof found === "string" ? found : String(found?.steps)}`,
          );
        }
        const holder = await store.holder(id);
        if (holder !== null)
          wrong.push(`${id} is locked by process ${String(holder.pid)}, which is dead`);
      }
      for (const { id, status, problem } of await store.list()) {
        if (status === "unreadable")
          wrong.push(`${id} is listed as unreadable: ${String(problem)}`);
      }
      const ignore = await user.disk.read(`${ROOT}/.gitignore`).catch(() => null);
      if (ignore !== null && !ignore.toString().endsWith("!config.toml\n")) {
        wrong.push(`.gitignore is ${JSON.stringify(ignore.toString())}`);
      }
      alive.delete(pid);
      return wrong;
    },
  };
}

function stepsOf(found: RunState | string | undefined): number | undefined {
  return typeof found === "string" ? undefined : found?.steps;
}

/** Reproducible random numbers. */
function numbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
