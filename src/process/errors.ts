import { RaymondError } from "../core/errors.ts";

/** The system's `ps` does not answer, so nobody can say which process lives. */
export class NoProcessTableError extends RaymondError {
  override readonly name = "NoProcessTableError";
  readonly code = "process/no-table";

  constructor() {
    super("Which processes live cannot be seen: /bin/ps does not show even this one.", {
      hint: "The system may have no room for another process, or ps is missing. Try again when it answers: /bin/ps -A",
    });
  }
}
