import { RaymondError } from "../../core/errors.ts";

/** Another worker has this machine's id. */
export class MachineTakenError extends RaymondError {
  override readonly name = "MachineTakenError";
  readonly code = "fleet/machine-taken";

  constructor(machine: string, holder: { readonly host: string; readonly pid: number } | null) {
    const who =
      holder === null
        ? "Another worker"
        : `The worker with pid ${String(holder.pid)} on ${holder.host}`;
    super(`${who} is the machine ${machine} already.`, {
      hint: "Two workers with one id would take each other's runs. Give this one another by --machine, or end the other first.",
    });
  }
}
