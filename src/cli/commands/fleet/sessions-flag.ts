import path from "node:path";
import { BadFlagError } from "../../../config/errors.ts";
import type { SubmitOptions } from "../../../fleet/queue/submit.ts";

/** What `--sessions` says: where the conversations of a run are kept. */
export function sessionsOf(
  { sessions = "home" }: { readonly sessions?: string },
  { cwd }: { readonly cwd: string },
): SubmitOptions["placement"]["sessions"] {
  const folder = /^dir:(.+)$/s.exec(sessions)?.[1];
  if (folder !== undefined) return { kind: "dir", folder: path.resolve(cwd, folder) };
  if (sessions === "home" || sessions === "pg") return { kind: sessions };
  throw new BadFlagError("--sessions", sessions, "home, pg, or dir:PATH");
}
