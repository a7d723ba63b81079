import { detach } from "../run/control/detach.ts";
import type { RunOptions } from "./parse/run-options.ts";
import type { Shell } from "./shell.ts";
import { EXIT } from "./words/exit-codes.ts";

/** Runs a run in a background process. Returns the exit code. */
export async function detachCommand(
  {
    run,
    input,
    ...options
  }: Pick<RunOptions, "stateDir" | "runId" | "input" | "json"> & {
    readonly run?: string;
  },
  shell: Shell,
): Promise<number> {
  const { out, err } = shell;
  const detached = await detach(
    {
      run,
      stateDir: options.stateDir,
      id: options.runId,
      command: shell.command,
      input: input === "-" ? await shell.readStdin() : null,
    },
    shell,
  );
  err.write(detached.said);
  if (detached.outcome === "refused") return detached.code;
  const { id, pid, output, program } = detached;
  if (options.json === true) {
    out.line(JSON.stringify({ workflow_id: id, pid, output }));
    return EXIT.completed;
  }
  out.line(id);
  err.line(`Running in the background as process ${String(pid)}. Output: ${output}`);
  err.line(`  watch:  ${program} attach ${id}`);
  err.line(`  stop:   ${program} stop ${id}`);
  return EXIT.completed;
}
