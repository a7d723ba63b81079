import vm from "node:vm";

/** The work took longer than its limit. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

let context: vm.Context | null = null;
const CALL = new vm.Script("work()");

/**
 * Runs a function for at most this time, ms. Unlike a timer, the limit also ends a loop and a regular
 * expression that backtracks. Throws {@link TimeLimitError}.
 */
export function bounded<T>(limitMs: number, work: () => T): T {
  context ??= vm.createContext({});
  context["work"] = work;
  try {
    return CALL.runInContext(context, { timeout: limitMs }) as T;
  } catch (error) {
    // The error belongs to the other context, so it is no Error of this one.
    if (typeof error === "object" && error !== null && "code" in error && error.code === EXPIRED) {
      throw new TimeLimitError(`not finished after ${String(limitMs)} ms`, { cause: error });
    }
    throw error;
  } finally {
    delete context["work"];
  }
}

const EXPIRED = "ERR_SCRIPT_EXECUTION_TIMEOUT";
