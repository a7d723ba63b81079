import path from "node:path";
import * as z from "zod/mini";
import type { ManualSession, ManualSessions } from "../engine/ports/manual-sessions.ts";
import type { AgentId } from "../machine/agent.ts";
import { once } from "./codec/shape.ts";
import type { Disk } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import type { LockEnvironment } from "./lock/claim.ts";
import { isVisible } from "./lock/host-identity.ts";
import { makeDurableFolder } from "./root-folder.ts";
import { writeAtomically } from "./write-atomically.ts";

/*
 * Records of manual sessions:
 *
 * V1  A manual session has one file, which only the process of the user writes, atomically. It contains that raymond
 *     process and then the client. The session is open while either is alive, so the death of one does not end it.
 * V2  The file is marked when the user leaves. A killed process cannot mark it. The file is kept until the run has
 *     processed the end of the session, so no message of it is lost.
 * V3  A process that is not visible from this machine counts as alive.
 */

/** What is needed to check whether a process is alive. */
export type ProcessEnvironment = Pick<LockEnvironment, "disk" | "place" | "identify">;

/** The record of a manual session, written by the process that opens it. */
export interface ManualSessionRecord {
  readonly setConversation: (opened: NonNullable<ManualSession["opened"]>) => Promise<void>;
  /** Adds the process of the client. */
  readonly addProcess: (pid: number) => Promise<void>;
  readonly close: () => Promise<void>;
  /** Deletes the record: the session did not start. */
  readonly withdraw: () => Promise<void>;
}

/** The manual sessions of a run, in its folder `openings`. */
export function manualSessionFiles(
  world: () => Promise<ProcessEnvironment>,
  folder: string,
): ManualSessions {
  return {
    list: async () => {
      const { disk, ...here } = await world();
      const names = await disk.names(folder).catch(() => []);
      const files = names.filter((name) => name.endsWith(".json") && !name.startsWith("."));
      const found = await Promise.all(files.map((name) => read(disk, path.join(folder, name))));
      const kept = found.filter((each) => each !== null);
      return Promise.all(kept.map((each) => sessionOf(each, here)));
    },
    remove: async (visit) => {
      const { disk } = await world();
      await disk.remove(fileOf(folder, visit)).catch(() => undefined);
    },
  };
}

/** Records a new manual session of this process. */
export async function recordManualSession(
  world: ProcessEnvironment & Pick<LockEnvironment, "pid">,
  folder: string,
  visit: Pick<ManualSession, "agent" | "at" | "now">,
): Promise<ManualSessionRecord> {
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
    return orDiskError("record the manual session in", folder, () =>
      writeAtomically(disk, file, `${JSON.stringify(content, null, 2)}\n`),
    );
  };
  await orDiskError("record the manual session in", folder, () => makeDurableFolder(disk, folder));
  await write({});
  return {
    setConversation: (opened) => write({ opened }),
    addProcess: async (pid) => {
      await write({ processes: [...content.processes, await processOf(pid, world)] });
    },
    close: () => write({ left: true }),
    withdraw: () => disk.remove(file),
  };
}

const contentSchema = once(() =>
  z.object({
    agent: z.string(),
    at: z.int(),
    now: z.boolean(),
    opened: z.nullable(z.object({ session: z.string(), cwd: z.string() })),
    left: z.boolean(),
    /** V1. */
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

/** Null if the file is missing or invalid. */
async function read(disk: Disk, file: string): Promise<Content | null> {
  try {
    return contentSchema().parse(JSON.parse((await disk.read(file)).toString()));
  } catch {
    return null;
  }
}

async function sessionOf(
  content: Content,
  here: Omit<ProcessEnvironment, "disk">,
): Promise<ManualSession> {
  const { left, processes, ...visit } = content;
  const alive = left ? [] : await Promise.all(processes.map((each) => mayLive(each, here)));
  return { ...visit, open: alive.includes(true) };
}

/** V3. */
async function mayLive(
  { pid, identity, ...there }: Process,
  { place, identify }: Omit<ProcessEnvironment, "disk">,
): Promise<boolean> {
  if (!isVisible(there, place)) return true;
  return (await identify(pid, identity)) === identity;
}

async function processOf(
  pid: number,
  { place: { host, machine, boot, namespace }, identify }: Omit<ProcessEnvironment, "disk">,
): Promise<Process> {
  const identity = (await identify(pid, null)) ?? "";
  return { pid, identity, host, machine, boot, namespace };
}

function fileOf(folder: string, { agent, at }: { readonly agent: AgentId; readonly at: number }) {
  return path.join(folder, `${agent}-${String(at)}.json`);
}
