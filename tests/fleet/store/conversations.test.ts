import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../src/fleet/store/database.ts";
import type { Sessions } from "../../../src/fleet/store/rows/placement.ts";
import {
  openTranscripts,
  restoreConversations,
  storeWithTranscripts,
} from "../../../src/fleet/worker/runs/portable-transcripts.ts";
import type { Input } from "../../../src/machine/advance.ts";
import type { SessionId } from "../../../src/machine/model/agent.ts";
import type { RunId, RunState } from "../../../src/machine/model/run-state.ts";
import type { RunSource } from "../../../src/wire/run-source.ts";
import { agent } from "../../support/agents.ts";
import { fleetDatabase } from "../../support/fleet/postgres.ts";
import { output } from "../../support/outcomes.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { run } from "../../support/runs.ts";

const SESSIONS = ["s1", "s2"] as const;
type Named = (typeof SESSIONS)[number];

/** Events of a run in a fleet of three machines. */
type Happening =
  /** The client of the current holder adds to its conversation. `lasting`: the end of its step is saved. */
  | { readonly type: "says"; readonly session: Named; readonly bytes: number; readonly end: End }
  /** Another process claims the run, on this machine. */
  | { readonly type: "claimed"; readonly machine: number }
  /** A previous holder continues: its client adds to its conversation, and it saves. */
  | {
      readonly type: "late";
      readonly which: number;
      readonly session: Named;
      readonly bytes: number;
    };

/** `kept`: the process dies after it has stored the conversation, before the save; `cut`: before both. */
type End = "saved" | "kept" | "cut";

const session = fc.constantFrom(...SESSIONS);
const bytes = fc.integer({ min: 1, max: 40 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("says" as const),
      session,
      bytes,
      end: fc.constantFrom<End>("saved", "saved", "kept", "cut"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("claimed" as const),
      machine: fc.integer({ min: 0, max: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("late" as const),
      which: fc.nat(5),
      session,
      bytes,
    }),
  },
);

describe.each(["pg", "dir"] as const)("conversations that travel by %s", (kind) => {
  it("are restored to the exact length of the saved state on each machine that claims the run", async () => {
    const database = await fleetDatabase();
    const root = await folder();
    let tries = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 14 }), async (happenings) => {
        tries += 1;
        const world = await fleetOf(
          database,
          path.join(root, String(tries)),
          `r${String(tries)}`,
          kind,
        );
        for (const each of happenings) await happen(world, each);
        await claim(world, 0);
        await claim(world, 1);
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it("are not changed by late writes of a process that has lost the run", async () => {
    const world = await fleetOf(await fleetDatabase(), await folder(), "r1", kind);
    await happen(world, { type: "says", session: "s1", bytes: 10, end: "saved" });
    await happen(world, { type: "claimed", machine: 1 });
    await happen(world, { type: "says", session: "s1", bytes: 20, end: "saved" });
    await happen(world, { type: "late", which: 0, session: "s1", bytes: 5 });

    await claim(world, 2);

    expect(await conversation(world, 2, "s1")).toHaveLength(30);
  });
});

describe("a conversation on a machine that claims a run again", () => {
  it("keeps additional content of a manual session aside", async () => {
    const database = await fleetDatabase();
    const root = await folder();
    const world = await fleetOf(database, root, "r1", "pg");
    await happen(world, { type: "says", session: "s1", bytes: 10, end: "saved" });
    await happen(world, { type: "claimed", machine: 1 });
    await happen(world, { type: "says", session: "s1", bytes: 10, end: "saved" });
    await appendFile(fileOf(world, 0, "s1"), "by hand");
    const byHand = await readFile(fileOf(world, 0, "s1"), "utf8");

    await claim(world, 0);

    expect(await readFile(path.join(root, "0/aside/s1.jsonl"), "utf8")).toBe(byHand);
    expect(await readFile(fileOf(world, 0, "s1"), "utf8")).toHaveLength(20);
  });

  it("restores missing attachments only", async () => {
    const database = await fleetDatabase();
    const root = await folder();
    const world = await fleetOf(database, root, "r1", "pg");
    const output = path.join(root, "0/client/s1/tool-results/a.txt");
    await mkdir(path.dirname(output), { recursive: true });
    await writeFile(output, "long");
    await happen(world, { type: "says", session: "s1", bytes: 10, end: "saved" });

    await claim(world, 1);

    const restored = path.join(root, "1/client/s1/tool-results/a.txt");
    expect(await readFile(restored, "utf8")).toBe("long");
    expect(await readdir(path.join(root, "1"))).toEqual(["client"]);
  });

  it("is restored on its home if it was lost there, and otherwise unchanged", async () => {
    const database = await fleetDatabase();
    const world = await fleetOf(database, await folder(), "r1", "pg");
    await happen(world, { type: "says", session: "s1", bytes: 10, end: "saved" });
    await happen(world, { type: "says", session: "s2", bytes: 10, end: "saved" });
    await appendFile(fileOf(world, 0, "s1"), "unheard");
    await rm(fileOf(world, 0, "s2"));

    await claim(world, 0);

    expect(await conversation(world, 0, "s1")).toMatch(/unheard$/);
    expect(await conversation(world, 0, "s2")).toHaveLength(10);
  });

  it("is deleted everywhere when the run completes", async () => {
    const database = await fleetDatabase();
    const world = await fleetOf(database, await folder(), "r1", "pg");
    await happen(world, { type: "says", session: "s1", bytes: 10, end: "saved" });
    const last = world.tenures.at(-1);
    const done = { ...world.saved, agents: [], saves: world.saved.saves + 1 };

    await last?.store.save(done, world.saved.saves);

    for (const table of ["transcripts", "conversations"]) {
      expect(await database.query(`SELECT session FROM raymond.${table}`)).toEqual([]);
    }
  });

  it("counts as lost if its stored copy is incomplete", async () => {
    const database = await fleetDatabase();
    const root = await folder();
    const world = await fleetOf(database, root, "r1", "dir");
    await happen(world, { type: "says", session: "s1", bytes: 10, end: "saved" });
    await rm(path.join(root, "shared/r1/s1"), { recursive: true });
    await mkdir(path.join(root, "1/client"), { recursive: true });
    await writeFile(fileOf(world, 1, "s1"), "another text");

    world.said.clear();
    await claim(world, 1);

    expect(await readdir(path.join(root, "1/client"))).toEqual([]);
    expect(await readFile(path.join(root, "1/aside/s1.jsonl"), "utf8")).toBe("another text");
  });
});

/** A process that holds the run, or has held it. */
interface Tenure {
  readonly machine: number;
  readonly store: RunSource;
  /** `dies`: its next save fails. */
  readonly fate: { dies: boolean };
  /** Its state of the run. */
  run: RunState;
}

interface World {
  readonly database: Database;
  readonly root: string;
  readonly id: RunId;
  readonly sessions: Exclude<Sessions, { kind: "home" }>;
  /** The last one holds the run. */
  readonly tenures: Tenure[];
  /** The content of each conversation at the last save. */
  readonly said: Map<SessionId, string>;
  saved: RunState;
}

async function fleetOf(
  database: Database,
  root: string,
  id: RunId,
  kind: "pg" | "dir",
): Promise<World> {
  const shared = path.join(root, "shared");
  await mkdir(shared, { recursive: true });
  await database.query("INSERT INTO raymond.runs (id) VALUES ($1)", [id]);
  const agents = SESSIONS.map((each) => agent({ id: each, session: { mode: "resume", id: each } }));
  const sessions = kind === "pg" ? { kind } : { kind, folder: shared };
  const saved = run({ id, agents, launchDir: "/repo" });
  const world: World = { database, root, id, sessions, tenures: [], said: new Map(), saved };
  await claim(world, 0);
  return world;
}

/** A process on this machine claims the run, and finds each conversation as it was saved. */
async function claim(world: World, machine: number): Promise<void> {
  const { database, root, id, sessions, saved, said, tenures } = world;
  const [row] = await database.query<{ epoch: number }>(
    "UPDATE raymond.runs SET epoch = nextval('raymond.epochs') WHERE id = $1 RETURNING epoch",
    [id],
  );
  const epoch = row?.epoch ?? 0;
  const own = path.join(root, String(machine));
  const by = {
    ...(await openTranscripts(sessions, id, epoch, database)),
    locate: (name: SessionId) =>
      Promise.resolve({
        file: path.join(own, "client", `${name}.jsonl`),
        beside: path.join(own, "client", name),
      }),
  };
  const elsewhere = tenures.at(-1)?.machine !== machine;
  const [copies, aside] = [path.join(own, "copies"), path.join(own, "aside")];
  const known = await restoreConversations({ run: saved, elsewhere, copies, aside }, by);
  for (const [name, text] of elsewhere ? said : []) {
    expect(await conversation(world, machine, name)).toBe(text);
  }
  const fate = { dies: false };
  const store = storeWithTranscripts(savesOf(database, id, epoch, fate), known, by);
  tenures.push({ machine, store, fate, run: saved });
  // On its home, unreported output of the client is part of the conversation.
  await save(world, { type: "resumed", given: {}, recalled: {}, reported: 0 });
}

async function happen(world: World, what: Happening): Promise<void> {
  const { tenures } = world;
  const last = tenures.at(-1);
  if (last === undefined) throw new Error("no process holds the run");
  switch (what.type) {
    case "claimed":
      return claim(world, what.machine);
    case "says": {
      if (last.fate.dies) await claim(world, last.machine);
      return says(world, what.session, what.bytes, what.end);
    }
    case "late": {
      const stale = tenures[what.which % tenures.length];
      // A new holder on the same machine first terminates clients of the previous one.
      if (stale === undefined || stale.machine === last.machine) return;
      const ended = await speak(world, stale, what.session, what.bytes);
      await expect(saveAs(world, stale, ended)).rejects.toThrow("taken");
    }
  }
}

async function says(world: World, name: Named, count: number, end: End): Promise<void> {
  const last = world.tenures.at(-1);
  if (last === undefined) return;
  const ended = await speak(world, last, name, count);
  last.fate.dies = end !== "saved";
  if (end === "cut") return;
  if (end === "saved") await save(world, ended);
  else await expect(saveAs(world, last, ended)).rejects.toThrow("died");
}

/** The client of a process adds bytes to a conversation. Returns the end of its step. */
async function speak(
  world: World,
  { machine, run: { saves } }: Tenure,
  name: Named,
  count: number,
): Promise<Input> {
  const file = fileOf(world, machine, name);
  await mkdir(path.dirname(file), { recursive: true });
  const before = (await conversation(world, machine, name)).length;
  const text = `${String(machine)}.${String(saves)}.`.padEnd(count, "x").slice(0, count);
  await appendFile(file, text);
  const stretch = { session: name, from: before, to: before + count };
  const outcome = output("", { session: name, stretch });
  const decision = { kind: "cancelled" } as const;
  return { type: "ended", agent: name, process: 1, outcome, decision, at: 0, dice: 0 };
}

async function save(world: World, input: Input): Promise<void> {
  const last = world.tenures.at(-1);
  if (last === undefined) return;
  await saveAs(world, last, input);
  world.saved = last.run;
  for (const name of SESSIONS) {
    const text = await conversation(world, last.machine, name);
    if (text !== "") world.said.set(name, text);
  }
}

async function saveAs({ id }: World, tenure: Tenure, input: Input): Promise<void> {
  const { run: before, store } = tenure;
  const next = { ...before, saves: before.saves + 1 };
  const record = { save: next.saves, updatedAt: next.updatedAt, from: null, inputs: [input] };
  (await store.openJournal(id, () => undefined)).append(record, next);
  await store.save(next, before.saves);
  tenure.run = next;
}

/** The saves of a run, as its row stores them. */
function savesOf(
  database: Database,
  id: RunId,
  epoch: number,
  tenure: { dies: boolean },
): RunSource {
  return {
    save: async ({ saves }: RunState) => {
      if (tenure.dies) throw new Error("it died");
      const done = await database.query(
        "UPDATE raymond.runs SET version = $3 WHERE id = $1 AND epoch = $2 RETURNING id",
        [id, epoch, saves],
      );
      if (done.length === 0) throw new Error("the run was claimed");
    },
    openJournal: () => Promise.resolve({ append: () => undefined, close: () => undefined }),
  } as unknown as RunSource;
}

function conversation(world: World, machine: number, name: SessionId): Promise<string> {
  return readFile(fileOf(world, machine, name), "utf8").catch(() => "");
}

function fileOf({ root }: World, machine: number, name: SessionId): string {
  return path.join(root, String(machine), "client", `${name}.jsonl`);
}

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "raymond-travels-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}
