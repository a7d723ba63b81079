import { RaymondError } from "../core/errors.ts";
import type { RunId } from "../core/machine/run-state.ts";

/** No run is named, and several go on. */
export class SeveralLiveRunsError extends RaymondError {
  override readonly name = "SeveralLiveRunsError";
  readonly code = "run/several-live";

  constructor(runs: readonly RunId[]) {
    const shown = runs.slice(0, MOST_SHOWN).join(", ");
    const more = runs.length - MOST_SHOWN;
    super(
      `${String(runs.length)} runs go on: ${shown}${more > 0 ? ` and ${String(more)} more` : ""}.`,
      { hint: `Name one of them: raymond attach ${runs[0] ?? "RUN"}` },
    );
  }
}

const MOST_SHOWN = 10;

/** The files of a run were removed while somebody watched it. */
export class RunGoneError extends RaymondError {
  override readonly name = "RunGoneError";
  readonly code = "run/gone";

  constructor(run: RunId) {
    super(`The files of the run ${run} are gone: they were removed while it was watched.`, {
      hint: "Where a process runs it still, it writes its state anew with its next step: raymond list shows whether it is there again.",
    });
  }
}
