import * as z from "zod/mini";
import { type HostIdentity, isVisible } from "./host-identity.ts";

/** What is needed to check whether a process is alive. */
export interface ProcessLookup {
  readonly place: HostIdentity;
  /** A permanent identity of a live process; null for a dead one. `known`: its identity so far. */
  readonly identify: (pid: number, known: string | null) => Promise<string | null>;
}

export interface ProcessRecord extends HostIdentity {
  readonly pid: number;
  /** Distinguishes processes that reuse a pid (`src/process/platform/identity.ts`). */
  readonly identity: string;
}

/** The fields of a {@link ProcessRecord} in a schema. A function, since most commands read no record. */
export const processFields = () => ({
  pid: z.int(),
  identity: z.string(),
  host: z.string(),
  machine: z.nullable(z.string()),
  boot: z.nullable(z.string()),
  namespace: z.nullable(z.string()),
});

/** A process of this machine; `identity` is empty if it is dead. */
export async function processRecord(
  { place: { host, machine, boot, namespace }, identify }: ProcessLookup,
  pid: number,
): Promise<ProcessRecord> {
  const identity = (await identify(pid, null)) ?? "";
  return { pid, identity, host, machine, boot, namespace };
}

/** A process that is not visible from this machine counts as alive. */
export async function mayBeAlive(
  { place, identify }: ProcessLookup,
  record: ProcessRecord,
): Promise<boolean> {
  if (!isVisible(record, place)) return true;
  return (await identify(record.pid, record.identity)) === record.identity;
}
