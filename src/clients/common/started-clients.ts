import type { ProcessEnd } from "../../engine/ports/process.ts";

/** How long a client that has run may be missing before that is permanent, ms. An update takes seconds. */
const UPDATE_MS = 15 * 60_000;

/** The clients that have started in this process, by command, and since when each is missing, by `elapsed`. */
const started = new Map<string, number | null>();

/** The end of a client. `printed`: it wrote to standard output. */
interface ClientEnd extends Pick<ProcessEnd, "spawnError" | "exitCode" | "signal"> {
  readonly printed: boolean;
  readonly stderr: string;
}

/** Records the start of a client. True if it could not start, but did before: it is probably being updated. */
export function isBeingUpdated(command: string, end: ClientEnd, elapsed: number): boolean {
  if (end.spawnError === null && !isIncomplete(end)) {
    started.set(command, null);
    return false;
  }
  const missing = started.get(command);
  if (missing === undefined) return false;
  const since = missing ?? elapsed;
  started.set(command, since);
  return elapsed - since < UPDATE_MS;
}

/** A half-written program: the system runs it as a shell script if it is not a valid binary. */
function isIncomplete({ printed, exitCode, signal, stderr }: ClientEnd): boolean {
  if (printed) return false;
  if (exitCode === 126 || exitCode === 127) return true;
  if (signal === "SIGSEGV" || signal === "SIGBUS" || signal === "SIGILL") return true;
  return /exec format error|syntax error|cannot find module|text file busy/i.test(stderr);
}
