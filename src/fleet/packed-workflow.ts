import { createHash } from "node:crypto";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { WorkflowKind } from "../core/machine/run-state.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { readArchive, unpackArchive } from "../scopes/archive.ts";
import { writeDurably } from "../scopes/durable.ts";
import type { Located } from "../scopes/open.ts";
import { packFolder } from "../scopes/pack.ts";
import type { FleetWorkflow } from "../stores/postgres/placed-runs.ts";
import { WorkflowChangedError, WorkflowTooLargeError } from "./errors.ts";

/** The most that a fleet takes, bytes. */
export const MOST_BYTES = 16 * 1024 ** 2;

/**
 * The workflow that was found, as bytes: of a folder a zip that depends on nothing but
 * its files, else the file itself. Rejects with a {@link WorkflowTooLargeError}, and
 * with a {@link WorkflowChangedError} where somebody writes there meanwhile.
 */
export async function packForFleet(
  { kind, home }: Pick<Located, "kind" | "home">,
  platform: Platform,
): Promise<FleetWorkflow> {
  const read = () => (kind === "folder" ? packedFolder(home, platform) : readFile(home));
  let bytes = await read();
  for (let tries = 0; ; tries += 1) {
    if (bytes.length > MOST_BYTES) throw new WorkflowTooLargeError(home, bytes.length, MOST_BYTES);
    const again = await read();
    if (again.equals(bytes)) return { hash: hashOf(bytes), name: path.basename(home), bytes };
    if (tries === MOST_TRIES) throw new WorkflowChangedError(home);
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

/**
 * Where a workflow of a fleet lies on this machine: the folder, or the file, in a
 * folder of its hash. `fetch` is asked for it where it does not lie there yet.
 */
export async function placeForWorker(
  cache: string,
  { hash, name, kind }: Pick<FleetWorkflow, "hash" | "name"> & { readonly kind: WorkflowKind },
  platform: Platform,
  fetch: () => Promise<Buffer>,
): Promise<string> {
  const around = path.join(cache, hash);
  const place = path.join(around, name);
  if ((await stat(place).catch(() => null)) !== null) return place;
  const bytes = await fetch();
  await mkdir(around, { recursive: true, mode: 0o700 });
  const file = kind === "folder" ? path.join(around, `.${hash}.zip`) : place;
  await rm(file, { force: true });
  await writeDurably(file, bytes, 0o600);
  if (kind !== "folder") return place;
  await unpackArchive(await readArchive(file, platform), place);
  await rm(file, { force: true });
  return place;
}
