import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { NoPageError } from "./errors.ts";

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/**
 * The files of the page, by the path that asks for each; `/` is `index.html`. All are read before the first
 * request: no path of a request ever leads to the disk.
 */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder).catch((): readonly string[] => []);
  if (!names.includes("index.html")) throw new NoPageError(folder);
  const files = names.flatMap((name) => {
    const type = TYPES.get(path.extname(name));
    return type === undefined ? [] : [readOne(folder, name, type)];
  });
  return new Map(await Promise.all(files));
}

async function readOne(
  folder: string,
  name: string,
  type: string,
): Promise<readonly [string, PageFile]> {
  const body = new Uint8Array(await readFile(path.join(folder, name)));
  return [name === "index.html" ? "/" : `/${name}`, { body, type }];
}

const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
]);
