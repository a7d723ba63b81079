import path from "node:path";
import * as z from "zod/mini";
import type { AgentId } from "../core/machine/agent.ts";
import type { Openings, Visit } from "../ports/openings.ts";
import type { LockWorld } from "./claim.ts";
import type { Disk } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import { isVisible } from "./host-identity.ts";
import { makeDurableFolder } from "./root-folder.ts";
import { once } from "./shape.ts";
import { writeAtomically } from "./write-atomically.ts";

/*
 * How a visit by hand is written down:
 *
 * V1  A visit has one file, which only its visitor writes, and which takes each new
 *     content as a whole. It names raymond, and then the client: while either lives
 *     the visitor is there, so that the death of one does not end the visit.
 * V2  Who has left says so; who was killed need not. A file stays until the run has
 *     heard of its end, whoever drives it then: what was said by hand is not lost.
 * V3  Of processes that cannot be seen from here nobody knows that they are dead.
 */

/** What it takes to tell whether a visitor is there. */
export type VisitWorld = Pick<LockWorld, "disk" | "place" | "identify">;

/** A visit of a person, written down by whoever opens the conversation for them. */
export interface OwnVisit {
  /** The client that shows them the conversation. */
  readonly opens: (opened: NonNullable<Visit["opened"]>) => Promise<void>;
  /** Another process that they are there with. */
  readonly shows: (pid: number) => Promise<void>;
  readonly leaves: () => Promise<void>;
  /** As if they had never come. */
  readonly withdraws: () => Promise<void>;
}

/** Those who visit conversations of a run, in its folder of openings. */
export function visitFiles(world: () => Promise<VisitWorld>, folder: string): Openings {
  return {
    list: async () => {
      const { disk, ...here } = await world();
      const names = await disk.names(folder).catch(() => []);
      const files = names.filter((name) => name.endsWith(".json") && !name.startsWith("."));
      const found = await Promise.all(files.map((name) => read(disk, path.join(folder, name))));
      const kept = found.filter((each) => each !== null);
      return Promise.all(kept.map((each) => visitOf(each, here)));
    },
    forget: async (visit) => {
      const { disk } = await world();
      await disk.remove(fileOf(folder, visit)).catch(() => undefined);
    },
  };
}

/** Writes down that a person comes, with this process. */
export async function beginVisit(
  world: VisitWorld & Pick<LockWorld, "pid">,
  folder: string,
  visit: Pick<Visit, "agent" | "at" | "now">,
): Promise<OwnVisit> {
  const { disk } = world;
  const file = fileOf(folder, visit);
  let content: Content = {
    ...visit,
    opened: null,
    left: false,
    processes: [await processOf(world.pid, world)],
  };
  const write = (changes: Partial<Content>) => {
    content = { ...content, ...changes };
    return orDiskError("write down who is there in", folder, () =>
      writeAtomically(disk, file, `${JSON.stringify(content, null, 2)}\n`),
    );
  };
  await orDiskError("write down who is there in", folder, () => makeDurableFolder(disk, folder));
  await write({});
  return {
    opens: (opened) => write({ opened }),
    shows: async (pid) => {
      await write({ processes: [...content.processes, await processOf(pid, world)] });
    },
    leaves: () => write({ left: true }),
    withdraws: () => disk.remove(file),
  };
}

const contentSchema = once(() =>
  z.object({
    agent: z.string(),
    at: z.int(),
    now: z.boolean(),
    opened: z.nullable(z.object({ session: z.string(), cwd: z.string() })),
    /** True once they have left. */
    left: z.boolean(),
    /** Who is there for them: see V1. */
    processes: z.array(
      z.object({
        pid: z.int(),
        identity: z.string(),
        host: z.string(),
        machine: z.nullable(z.string()),
        boot: z.nullable(z.string()),
        namespace: z.nullable(z.string()),
      }),
    ),
  }),
);

type Content = z.infer<ReturnType<typeof contentSchema>>;
type Process = Content["processes"][number];

/** Null for what is none, or is gone. */
async function read(disk: Disk, file: string): Promise<Content | null> {
  try {
    return contentSchema().parse(JSON.parse((await disk.read(file)).toString()));
  } catch {
    return null;
  }
}

async function visitOf(content: Content, here: Omit<VisitWorld, "disk">): Promise<Visit> {
  const { left, processes, ...visit } = content;
  const alive = left ? [] : await Promise.all(processes.map((each) => mayLive(each, here)));
  return { ...visit, open: alive.includes(true) };
}

/** V3. */
async function mayLive(
  { pid, identity, ...there }: Process,
  { place, identify }: Omit<VisitWorld, "disk">,
): Promise<boolean> {
  if (!isVisible(there, place)) return true;
  return (await identify(pid, identity)) === identity;
}

async function processOf(
  pid: number,
  { place: { host, machine, boot, namespace }, identify }: Omit<VisitWorld, "disk">,
): Promise<Process> {
  const identity = (await identify(pid, null)) ?? "";
  return { pid, identity, host, machine, boot, namespace };
}

function fileOf(folder: string, { agent, at }: { readonly agent: AgentId; readonly at: number }) {
  return path.join(folder, `${agent}-${String(at)}.json`);
}
