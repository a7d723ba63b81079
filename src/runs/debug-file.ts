import { existsSync } from "node:fs";
import path from "node:path";
import { ENDINGS } from "../observers/debug-limit.ts";
import { debugName } from "../observers/debug-name.ts";
import type { LoggedStep } from "../observers/logged-steps.ts";
import { tellingOf } from "../observers/step-files.ts";

/** The debug files of a step that are there: their paths, by what their names end with. */
export function debugFilesOf(
  { started: { event } }: Pick<LoggedStep, "started">,
  folder: string,
): ReadonlyMap<string, string> {
  const base = path.join(folder, debugName(event.agent, event.state, event.process));
  const files = ENDINGS.map((ending) => [ending, base + ending] as const);
  return new Map(files.filter(([, file]) => existsSync(file)));
}

/** The one that tells most of a failure; null where none is left. */
export function tellingFile(step: Pick<LoggedStep, "started">, folder: string): string | null {
  const files = debugFilesOf(step, folder);
  return files.get(tellingOf((ending) => files.has(ending))) ?? null;
}
