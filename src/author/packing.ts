import path from "node:path";
import { packFolder, writePacked } from "../scopes/pack.ts";
import { orDiskError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { systemPlatform } from "../wire/system/system.ts";

/** A workflow that was packed. */
export interface PackedWorkflow {
  /** Of the zip, absolute. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** What is in it, sorted. */
  readonly files: readonly string[];
  /** What is at the top of the folder and not in it: hidden files, tests and simulations. */
  readonly leftOut: readonly string[];
}

/** Tests and simulations of the workflow: for a zip they are next to it, never inside. */
function isForAuthors(name: string): boolean {
  return !name.includes("/") && /\.(?:test|sim)\.yaml$/.test(name);
}

/** Writes the folder as a zip, to this file or into this folder. Rejects with a RaymondError. */
export async function packInto(
  folder: string,
  output: string | null,
  { cwd }: Pick<Caller, "cwd">,
): Promise<PackedWorkflow> {
  const from = path.resolve(cwd, folder);
  const packed = await orDiskError("read", from, () =>
    packFolder(from, systemPlatform(), isForAuthors),
  );
  const place = path.resolve(cwd, output ?? ".");
  const file = await orDiskError("write", place, () => writePacked(packed, place));
  const { sha256, bytes, files, leftOut } = packed;
  return { path: file, sha256, bytes: bytes.length, files, leftOut };
}
