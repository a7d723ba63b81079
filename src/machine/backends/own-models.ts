import type { StateFile } from "../../language/workflow/files/state-file.ts";
import type { RunSettings, RunState } from "../model/run-state.ts";
import { isSimulated } from "./simulation.ts";

/**
 * The file without its model names if they are not those of `backend`: they belong to the first coding
 * agent that it names (docs/authoring.md, "Coding agents").
 */
export function withOwnModels<File extends StateFile>(
  file: File,
  run: Pick<RunState, "backend">,
  backend: string,
): File {
  if (file.kind === "script" || isSimulated(run.backend)) return file;
  const [first = backend] = file.agents ?? [];
  return first === backend ? file : { ...file, model: null, fallbackModel: null };
}

/** The settings without model names if they are not those of `backend`: they belong to the default agent. */
export function settingsOf(
  { settings, backend: kind }: Pick<RunState, "settings" | "backend">,
  backend: string,
): RunSettings {
  const usual = settings.agents?.[0] ?? kind;
  if (isSimulated(kind) || usual === backend) return settings;
  return { ...settings, model: null, fallbackModel: null };
}
