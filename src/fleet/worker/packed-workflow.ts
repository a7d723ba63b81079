import { createHash } from "node:crypto";
import { existsSync as isThere } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { readRegularFile } from "../../files/read-file.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import type { WorkflowKind } from "../../machine/run-state.ts";
import { MAX_PACKED_BYTES, readArchive, unpackArchive } from "../../scopes/archive.ts";
import { syncFolder, writeDurably } from "../../scopes/durable.ts";
import type { LocatedWorkflow } from "../../scopes/open.ts";
import { packFolder } from "../../scopes/pack.ts";
import { fleetErrors } from "../errors.ts";
import type { FleetWorkflow } from "../store/rows/placed-runs.ts";

/** The most that a fleet takes, bytes. */
export const MAX_WORKFLOW_BYTES = 16 * 1024 ** 2;

/**
 * The workflow that was found, as bytes: of a folder a zip that depends on nothing but
 * its files, else the file itself. Rejects with a `fleet/workflow-too-large`, and
 * with a `fleet/workflow-changed` where somebody writes there meanwhile.
 */
export async function packForFleet(
  { kind, home }: Pick<LocatedWorkflow, "kind" | "home">,
  platform: Platform,
): Promise<FleetWorkflow> {
  const read = () =>
    kind === "folder" ? packedFolder(home, platform) : readRegularFile(home, MAX_PACKED_BYTES);
  let bytes = await read();
  for (let tries = 0; ; tries += 1) {
    if (bytes.length > MAX_WORKFLOW_BYTES)
      throw fleetErrors["fleet/workflow-too-large"](home, bytes.length, MAX_WORKFLOW_BYTES);
    const again = await read();
    if (again.equals(bytes)) return { hash: hashOf(bytes), name: path.basename(home), bytes };
    if (tries === MOST_TRIES) throw fleetErrors["fleet/workflow-changed"](home);
    bytes = again;
  }
}

const MOST_TRIES = 3;

async function packedFolder(folder: string, platform: Platform): Promise<Buffer> {
  return (await packFolder(folder, platform)).bytes;
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A workflow of a fleet that is to lie on this machine. */
export type PackedWorkflow = Pick<FleetWorkflow, "hash" | "name"> & { readonly kind: WorkflowKind };

/**
 * Where a workflow of a fleet lies on this machine: the folder, or the file, in a
 * folder of its hash. `fetch` is asked for it where it does not lie there yet, once for
 * all runs that want it meanwhile.
 */
export async function unpackForWorker(
  cache: string,
  workflow: PackedWorkflow,
  platform: Platform,
  fetch: () => Promise<Buffer>,
): Promise<string> {
  const around = path.join(cache, workflow.hash);
  const place = path.join(around, workflow.name);
  const known = placing.get(place);
  if (known !== undefined) return known;
  if (isThere(place)) return place;
  const made = unpackInto(around, workflow, platform, fetch).finally(() => placing.delete(place));
  placing.set(place, made);
  return made;
}

/** What is being placed by this process: a burst of runs of one workflow asks for it at the same moment. */
const placing = new Map<string, Promise<string>>();

/** Appears whole, or not at all: another process of this machine may do the same. */
async function unpackInto(
  around: string,
  { hash, name, kind }: PackedWorkflow,
  platform: Platform,
  fetch: () => Promise<Buffer>,
): Promise<string> {
  const place = path.join(around, name);
  const bytes = await fetch();
  await mkdir(around, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(path.join(around, ".new-"));
  try {
    const file = path.join(own, kind === "folder" ? `.${hash}.zip` : name);
    await writeDurably(file, bytes, 0o600);
    if (kind === "folder")
      await unpackArchive(await readArchive(file, platform), path.join(own, name));
    await rename(path.join(own, name), place).catch((error: unknown) => {
      if (!isThere(place)) throw error;
    });
    await syncFolder(around);
    return place;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
