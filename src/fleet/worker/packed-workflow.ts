import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import { isBelow } from "../../files/paths.ts";
import { readRegularFile } from "../../files/read-file.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import type { RunState, WorkflowKind } from "../../machine/model/run-state.ts";
import { MAX_PACKED_BYTES, readArchive, unpackArchive } from "../../scopes/archive.ts";
import { syncFolder, writeDurably } from "../../scopes/durable.ts";
import { type LocatedWorkflow, locateWorkflow } from "../../scopes/open.ts";
import { packFolder } from "../../scopes/pack.ts";
import type { WorkflowCopy } from "../../wire/run-source.ts";
import { systemPlatform } from "../../wire/system/system.ts";
import { fleetErrors } from "../errors.ts";
import type { Queries } from "../store/database.ts";
import { type FleetWorkflow, fetchWorkflow, type PlacementRow } from "../store/rows/placed-runs.ts";

const MAX_WORKFLOW_BYTES = 16 * 1024 ** 2;

/** Packs a folder into a reproducible zip archive; any other workflow is its file. Rejects if the files keep changing. */
export async function packForFleet(
  { kind, home }: Pick<LocatedWorkflow, "kind" | "home">,
  platform: Platform,
): Promise<FleetWorkflow> {
  const read = async () =>
    kind === "folder"
      ? (await packFolder(home, platform)).bytes
      : readRegularFile(home, MAX_PACKED_BYTES);
  let bytes = await read();
  for (let tries = 0; tries <= MAX_RETRIES; tries += 1) {
    if (bytes.length > MAX_WORKFLOW_BYTES)
      throw fleetErrors["fleet/workflow-too-large"](home, bytes.length, MAX_WORKFLOW_BYTES);
    const again = await read();
    if (again.equals(bytes)) {
      return { hash: sha256(bytes), name: path.basename(home), bytes };
    }
    bytes = again;
  }
  throw fleetErrors["fleet/workflow-changed"](home);
}

const MAX_RETRIES = 3;

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The submitted workflow of a run, unpacked below `folder`; null for a run that was not submitted. */
export async function localWorkflow(
  run: RunState,
  { workflow, placement }: PlacementRow,
  folder: string,
  { database, store }: { readonly database: Queries; readonly store: Pick<Store, "artifacts"> },
): Promise<WorkflowCopy | null> {
  if (workflow === null) return null;
  const platform = systemPlatform();
  const packed = { ...workflow, kind: run.workflow.kind };
  const fetch = () => fetchWorkflow(database, workflow.hash);
  const unpacked = await unpackForWorker(folder, packed, platform, fetch);
  const wanted = path.join(unpacked, placement.inside);
  if (!isBelow(unpacked, wanted)) throw fleetErrors["fleet/wrong-workflow"](workflow.name, OUTSIDE);
  const located = await locateWorkflow(wanted, platform).catch(
    // In a folder without a default entry, the run has recorded the entry.
    () => locateWorkflow(unpacked, platform, run.workflow.entry),
  );
  return { path: located.path, scopeDir: await located.place(await store.artifacts(run.id)) };
}

const OUTSIDE = "its path leads out of the packed folder";

type PackedWorkflow = Pick<FleetWorkflow, "hash" | "name"> & { readonly kind: WorkflowKind };

/**
 * Resolves with the path of the unpacked workflow. Calls `fetch` if it is missing, once for concurrent calls. Rejects
 * with `fleet/wrong-workflow` if the name, the hash or the bytes are not those of a submitted workflow: users of the
 * database can store others, and a worker may run as root.
 */
export async function unpackForWorker(
  cache: string,
  workflow: PackedWorkflow,
  platform: Platform,
  fetch: () => Promise<Buffer>,
): Promise<string> {
  const { hash, name } = workflow;
  if (!SHA256.test(hash) || !isFileName(name))
    throw fleetErrors["fleet/wrong-workflow"](name, "its name is not a file name");
  const folder = path.join(cache, hash);
  const target = path.join(folder, name);
  const pending = unpacking.get(target);
  if (pending !== undefined) return pending;
  if (existsSync(target)) return target;
  const unpacked = unpackInto(folder, workflow, platform, fetch).finally(() =>
    unpacking.delete(target),
  );
  unpacking.set(target, unpacked);
  return unpacked;
}

const SHA256 = /^[0-9a-f]{64}$/;

function isFileName(name: string): boolean {
  return !["", ".", ".."].includes(name) && path.basename(name) === name && !name.includes("\0");
}

/** By target path. */
const unpacking = new Map<string, Promise<string>>();

/** Atomic, because another process of this machine may do the same. */
async function unpackInto(
  folder: string,
  { hash, name, kind }: PackedWorkflow,
  platform: Platform,
  fetch: () => Promise<Buffer>,
): Promise<string> {
  const target = path.join(folder, name);
  const bytes = await fetch();
  if (sha256(bytes) !== hash)
    throw fleetErrors["fleet/wrong-workflow"](name, `its content does not match its hash ${hash}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(path.join(folder, ".new-"));
  try {
    const file = path.join(temporary, kind === "folder" ? `.${hash}.zip` : name);
    await writeDurably(file, bytes, 0o600);
    if (kind === "folder")
      await unpackArchive(await readArchive(file, platform), path.join(temporary, name));
    await rename(path.join(temporary, name), target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    await syncFolder(folder);
    return target;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
