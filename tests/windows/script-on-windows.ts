import { access, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { baseEnvironment } from "../../src/engine/executors/environment.ts";
import { scriptExecutor } from "../../src/engine/executors/script.ts";
import { NO_LISTENER } from "../../src/engine/ports/step-events.ts";
import type { StepOutcome } from "../../src/machine/model/outcome.ts";
import { startProcess } from "../../src/process/children/run-process.ts";
import { cancellation } from "../support/cancellation.ts";
import { type ScriptStepChanges, scriptStep } from "../support/engine/script-step.ts";
import { tempFolder } from "../support/folders.ts";

export function result(content: string): object {
  return { kind: "output", reading: { elements: [{ tag: "result", content }] }, exitCode: 0 };
}

export async function exists(file: string): Promise<true | undefined> {
  return access(file).then(
    () => true,
    () => undefined,
  );
}

/** A script of this text, and what an executor makes of it. */
export async function script(text: string, name = "BUILD.bat", folder = "flow") {
  const root = await tempFolder();
  const dir = path.join(root, folder);
  await mkdir(dir);
  const file = path.join(dir, name);
  await writeFile(file, text.replaceAll("\n", "\r\n"));
  const cancelling = cancellation();
  const executor = scriptExecutor({
    env: baseEnvironment(process.env, new Set()),
    platform: "windows",
    start: startProcess,
    tempDir: () => Promise.resolve(root),
  });
  return {
    dir,
    cancel: () => {
      cancelling.interruptNow();
    },
    run: (changes: ScriptStepChanges = {}): Promise<StepOutcome> => {
      const step = scriptStep({
        platform: "windows",
        path: file,
        scopeDir: dir,
        cwd: dir,
        ...changes,
      });
      const recorder = { meta: () => undefined, stdout: () => undefined, stderr: () => undefined };
      return executor.execute({ ...step, file: { ...step.file, name } }, cancelling, NO_LISTENER, {
        ...recorder,
      } as never);
    },
  };
}
