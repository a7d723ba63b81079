import { detach } from "../runs/detach.ts";
import { EXIT } from "./exit-codes.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";

/** Drives a run by a process of its own, and says where it is. Returns the exit code. */
export async function detachCommand(
  {
    run,
    input,
    ...options
  }: Pick<RunOptions, "stateDir" | "workflowId" | "input" | "json"> & {
    /** The run that is to go on. */
    readonly run?: string;
  },
  shell: Shell,
): Promise<number> {
  const { out, err } = shell;
  const detached = await detach(
    {
      run,
      stateDir: options.stateDir,
      id: options.workflowId,
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
  err.line(`It goes on as process ${String(pid)}, and prints to ${output}`);
  err.line(`  watch it:  ${program} attach ${id}`);
  err.line(`  end it:    ${program} stop ${id}`);
  return EXIT.completed;
}
