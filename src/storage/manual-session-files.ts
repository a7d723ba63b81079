import path from "node:path";
import * as z from "zod/mini";
import type { ManualSession, ManualSessions } from "../engine/ports/manual-sessions.ts";
import { parseBoundedJson } from "../language/basics/json-object.ts";
import type { AgentId } from "../machine/model/agent.ts";
import { once } from "./codec/shape.ts";
import { type Disk, writeAtomically } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import {
  mayBeAlive,
  type ProcessLookup,
  processFields,
  processRecord,
} from "./lock/process-record.ts";
import { makeDurableFolder } from "./root-folder.ts";

/*
 * Records of manual sessions:
 *
 * V1  A manual session has one file, which only the process of the user writes, atomically. It contains that raymond
 *     process and then the client. The session is open while either is alive, so the death of one does not end it.
 * V2  The file is marked when the user leaves. A killed process cannot mark it. The file is kept until the run has
 *     processed the end of the session, so no message of it is lost.
 * V3  A process that is not visible from this machine counts as alive.
 */

export interface ProcessEnvironment extends ProcessLookup {
  readonly disk: Disk;
}

/** The record of a manual session, written by the process that opens it. */
export interface ManualSessionRecord {
  readonly setConversation: (opened: NonNullable<ManualSession["opened"]>) => Promise<void>;
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
      const here = await world();
      const names = await here.disk.names(folder).catch(() => []);
      const files = names.filter((name) => name.endsWith(".json") && !name.startsWith("."));
      const found = await Promise.all(files.map((name) => read(here, path.join(folder, name))));
      return found.filter((each) => each !== null);
    },
    remove: async (session) => {
      const { disk } = await world();
      await disk.remove(fileOf(folder, session)).catch(() => undefined);
    },
  };
}

/** Records a new manual session of this process. */
export async function recordManualSession(
  world: ProcessEnvironment & { readonly pid: number },
  folder: string,
  session: Pick<ManualSession, "agent" | "at" | "now">,
): Promise<ManualSessionRecord> {
  const { disk } = world;
  const file = fileOf(folder, session);
  const processes = [await processRecord(world, world.pid)];
  let content: Content = { ...session, opened: null, left: false, processes };
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
      await write({ processes: [...content.processes, await processRecord(world, pid)] });
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
    processes: z.array(z.object(processFields())),
  }),
);

type Content = z.infer<ReturnType<typeof contentSchema>>;

/** Null if the file is missing or invalid. */
async function read(world: ProcessEnvironment, file: string): Promise<ManualSession | null> {
  let content: Content;
  try {
    content = contentSchema().parse(parseBoundedJson((await world.disk.read(file)).toString()));
  } catch {
    return null;
  }
  const { left, processes, ...session } = content;
  if (left) return { ...session, open: false };
  // V3.
  const alive = await Promise.all(processes.map((each) => mayBeAlive(world, each)));
  return { ...session, open: alive.includes(true) };
}

function fileOf(folder: string, { agent, at }: { readonly agent: AgentId; readonly at: number }) {
  return path.join(folder, `${agent}-${String(at)}.json`);
}
