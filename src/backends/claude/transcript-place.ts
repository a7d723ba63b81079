import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { SessionId } from "../../core/machine/agent.ts";

/**
 * The folder in which the client keeps what is its own, as it finds it itself;
 * a relative one is relative to the folder in which it is called.
 */
export function clientHome(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return env["CLAUDE_CONFIG_DIR"] ?? path.join(home, ".claude");
}

/**
 * How the client names its folder of the conversations that began in `cwd`, a
 * path without links: each UTF-16 unit that is no ASCII letter or digit is a
 * `-`, and a long name is cut and gets a hash (measured on both versions).
 */
export function projectFolder(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, "-");
  if (name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME)}-${Math.abs(hash(cwd)).toString(36)}`;
}

/** Where the transcript of a session lies, or would be looked for first. */
export interface TranscriptPlace {
  readonly file: string;
  /** Bytes; null when the client has no such file. */
  readonly size: number | null;
}

/**
 * Finds the client's transcript of a session: in the folder of `cwd`, else in
 * that of any other project, for clients from 2.1.223 on leave it where it began.
 */
export async function findTranscript(
  home: string,
  cwd: string,
  session: SessionId,
): Promise<TranscriptPlace> {
  const projects = path.resolve(cwd, home, "projects");
  const file = `${session}.jsonl`;
  const real = await realpath(cwd).catch(() => cwd);
  const first = path.join(projects, projectFolder(real), file);
  const size = await sizeOf(first);
  if (size !== null) return { file: first, size };
  for (const project of await readdir(projects).catch(() => [])) {
    const other = path.join(projects, project, file);
    const found = await sizeOf(other);
    if (found !== null) return { file: other, size: found };
  }
  return { file: first, size: null };
}

/** Bytes of a file; null where there is none. */
export async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() === true ? found.size : null;
}

const MAX_NAME = 200;

function hash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return sum;
}
