import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const readdir = promisify(fs.readdir);

/** Where a step is written down. Its token is `<run token>.<process number>`, and the former stays secret. */
export function recordFile(folder: string, token: string): string {
  return join(folder, token.slice(token.lastIndexOf(".") + 1));
}

/** The files of all that are written down there, or of one attempt. */
export async function recordFiles(
  folder: string,
  token: string | null,
): Promise<readonly string[]> {
  if (token !== null) return [recordFile(folder, token)];
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}
