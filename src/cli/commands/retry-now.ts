import { retryNow } from "../../runs/retry-now.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { notReacted } from "../not-reacted.ts";
import type { Shell } from "../shell.ts";

/** `raymond retry-now`: a run that waits tries again now. Returns 1 when the process that holds it does not react. */
export async function retryNowCommand(wanted: Wanted, shell: Shell): Promise<ExitCode> {
  const retried = await retryNow(wanted, shell);
  const { id } = retried;
  switch (retried.outcome) {
    case "not-waiting":
      shell.err.line(`${id} does not wait for anything: there is nothing to hurry.`);
      return EXIT.completed;
    case "heard":
      shell.out.line(`${id} tries again now.`);
      return EXIT.completed;
    case "no-reaction":
      shell.err.line(notReacted(retried));
      return EXIT.failed;
    case "wait-ended":
      shell.out.line(`${id} waits no longer. No process runs it; go on with: ${retried.next}`);
      return EXIT.completed;
  }
}
