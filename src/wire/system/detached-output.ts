import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import type { RunId } from "../../machine/model/run-state.ts";
import { orDiskError } from "../../storage/errors.ts";
import { prepareRoot } from "../../storage/root-folder.ts";
import type { Caller } from "../caller.ts";
import type { NamedRun } from "../stores.ts";

/** The open output file of a detached run. */
export interface DetachedOutput {
  readonly file: string;
  readonly descriptor: number;
  /** The output since it was opened, up to this file size. */
  said(size?: number): string;
  /** Removes the new output, and the folders created for it. */
  discard(): void;
  close(): void;
}

/**
 * Opens the output file in the folder of a run, which may not exist yet. Rejects with a
 * RaymondError if that fails.
 */
export async function openDetachedOutput(
  { id, root, store }: Pick<NamedRun, "root" | "store"> & { readonly id: RunId },
  caller: Caller,
): Promise<DetachedOutput> {
  const { disk } = await caller.system();
  const { output: file } = await store.artifacts(id);
  const isNew = !existsSync(root);
  const folder = path.dirname(file);
  const descriptor = await orDiskError("write", file, async () => {
    await prepareRoot(disk, root);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(file, "a+", 0o600);
  });
  const before = fstatSync(descriptor).size;
  return {
    file,
    descriptor,
    said: (size = fstatSync(descriptor).size) => {
      const text = Buffer.alloc(Math.max(0, size - before));
      return text.toString("utf8", 0, readSync(descriptor, text, 0, text.length, before));
    },
    discard: () => {
      ftruncateSync(descriptor, before);
      if (before > 0) return;
      rmSync(file, { force: true });
      const made = [folder, path.dirname(folder)];
      for (const each of made) removeEmpty(each);
      if (!isNew) return;
      removeEmpty(path.join(root, "workflows"));
      rmSync(path.join(root, ".gitignore"), { force: true });
      removeEmpty(root);
    },
    close: () => {
      closeSync(descriptor);
    },
  };
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty, or does not exist.
  }
}
