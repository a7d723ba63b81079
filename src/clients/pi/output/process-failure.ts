import { type Failure, failure } from "../../../machine/model/failure.ts";
import { clause, permanent, tail } from "../../common/ending.ts";
import { exitFailure, spawnFailure } from "../../common/exit-failure.ts";
import { LOG_IN, PI } from "../errors.ts";
import type { PiEnding } from "../facts.ts";

/** The failure by the exit of the process, if no event explains it. The last resort, so it never returns null. */
export function processFailure(ending: PiEnding): Failure {
  const { end, facts, stderr } = ending;
  if (end.spawnError !== null) return spawnFailure(ending, end.spawnError, PI);
  const error = facts.verdict?.error ?? null;
  if (error !== null) {
    return failure("crash", `pi reported an error: ${clause(error)}.${tail(stderr)}`);
  }
  return startFailure(ending) ?? exitFailure(ending, "pi", facts.settled);
}

/** Errors of the client before it has stored the prompt, on standard error. */
function startFailure({ call, facts, stderr }: PiEnding): Failure | null {
  if (facts.accepted) return null;
  if (
    /no api key found|no models available|no model selected|authentication failed/i.test(stderr)
  ) {
    return permanent(`pi is not logged in.${tail(stderr)}`, LOG_IN);
  }
  if (/\bModel ".*" not found|No models match/i.test(stderr)) {
    return permanent(
      `Model ${call.model ?? "of the settings of pi"} not found.${tail(stderr)}`,
      "List the models with: pi --list-models. Set one as PROVIDER/MODEL.",
    );
  }
  if (/unknown option|requires a value/i.test(stderr)) {
    return permanent(`pi rejected its arguments.${tail(stderr)}`, `Update it with: ${PI.install}.`);
  }
  if (/Failed to load extension/i.test(stderr)) {
    return permanent(`An extension of pi does not load.${tail(stderr)}`, "Fix or remove it.");
  }
  if (/requires? Node|Unsupported engine|node:sqlite|SyntaxError/i.test(stderr)) {
    return permanent(
      `pi does not run with this version of Node.js.${tail(stderr)}`,
      "It needs Node.js 22.19 or newer. Set the path of a pi that uses it with --client pi=PATH.",
    );
  }
  return null;
}
