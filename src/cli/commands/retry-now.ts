import { retryNow } from "../../runs/retry-now.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { retriedWords } from "../outcome-words.ts";
import type { Shell } from "../shell.ts";

/** `raymond retry-now`: a run that waits tries again now. Returns 1 when the process that holds it does not react. */
export async function retryNowCommand(wanted: Wanted, shell: Shell): Promise<ExitCode> {
  const retried = await retryNow(wanted, shell);
  const words = retriedWords(retried);
  switch (retried.outcome) {
    case "not-waiting":
      shell.err.line(words);
      return EXIT.completed;
    case "heard":
    case "wait-ended":
      shell.out.line(words);
      return EXIT.completed;
    case "no-reaction":
      shell.err.line(words);
      return EXIT.failed;
  }
}
