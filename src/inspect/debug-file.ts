import { existsSync } from "node:fs";
import path from "node:path";
import { ENDINGS } from "../log/debug-limit.ts";
import { debugName } from "../log/debug-name.ts";
import type { LoggedStep } from "../log/logged-steps.ts";
import { mainDebugFile } from "../log/step-files.ts";

/** The debug files of a step that are there: their paths, by what their names end with. */
export function debugFilesOf(
  { started: { event } }: Pick<LoggedStep, "started">,
  folder: string,
): ReadonlyMap<string, string> {
  const base = path.join(folder, debugName(event.agent, event.state, event.process));
  const files = ENDINGS.map((ending) => [ending, base + ending] as const);
  return new Map(files.filter(([, file]) => existsSync(file)));
}

/** The most useful file about a failure; null if none is left. */
export function failureFile(step: Pick<LoggedStep, "started">, folder: string): string | null {
  const files = debugFilesOf(step, folder);
  return files.get(mainDebugFile((ending) => files.has(ending))) ?? null;
}
