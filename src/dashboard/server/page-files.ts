import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { serveErrors } from "./errors.ts";

export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/**
 * The files of the page by URL path; `/` is `index.html`. They are read before the first request, so that no
 * request path is ever resolved on disk.
 */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder).catch((): readonly string[] => []);
  if (!names.includes("index.html")) throw serveErrors["serve/no-page"](folder);
  const files = names.flatMap((name) => {
    const type = TYPES.get(path.extname(name));
    return type === undefined ? [] : [readPageFile(folder, name, type)];
  });
  return new Map(await Promise.all(files));
}

async function readPageFile(
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
