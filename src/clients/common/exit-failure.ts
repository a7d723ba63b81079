import type { ProcessEnd } from "../../engine/ports/process.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";
import { type CallEnding, clause, permanent, tail } from "./ending.ts";

/** The program of a client, in messages. */
export interface Program {
  /** Its command, such as `claude`. */
  readonly name: string;
  /** How to install it, as a command. */
  readonly install: string;
}

/** The failure of a call whose process could not start. */
export function spawnFailure(
  ending: Pick<CallEnding<unknown>, "call" | "command" | "folderMissing" | "updating">,
  error: NonNullable<ProcessEnd["spawnError"]>,
  program: Program,
): Failure {
  const { call, command } = ending;
  if (ending.folderMissing) {
    return permanent(
      `The working directory does not exist: ${call.cwd}.`,
      "Create it, or fix the cd attribute of the transition to this state.",
    );
  }
  const [message, hint] = startProblem(command, error, program);
  if (ending.updating !== true) return permanent(message, hint);
  return failure("outage", `${message} ${UPDATING}`, hint);
}

const UPDATING = "It has run before, so an update may be in progress.";

function startProblem(
  command: string,
  { code, message }: NonNullable<ProcessEnd["spawnError"]>,
  { name, install }: Program,
): readonly [message: string, hint: string] {
  switch (code) {
    case "ENOENT":
      return [
        `Cannot find ${name}: ${command} does not exist.`,
        `Install it with: ${install}. Or set its path with --client ${name}=PATH.`,
      ];
    case "EACCES":
      return [
        `Cannot start ${name}: ${command} is not executable.`,
        `Run: chmod +x ${command}. Or set another path with --client ${name}=PATH.`,
      ];
    default:
      return [
        `Cannot start ${command}: ${clause(message)}.`,
        "Check the permissions of the file, and that it is built for this system.",
      ];
  }
}

/** The failure of a process that ended without a known cause. */
export function exitFailure(
  { end, stderr, updating }: Pick<CallEnding<unknown>, "end" | "stderr" | "updating">,
  program: string,
  hasResult: boolean,
): Failure {
  const how =
    end.signal === null
      ? `ended with exit code ${String(end.exitCode ?? "unknown")}`
      : `was killed by ${end.signal}`;
  const when = hasResult ? "after its result" : "before its result";
  const message = `${program} ${how} ${when}.${tail(stderr)}`;
  return updating === true
    ? failure("outage", `${message} ${UPDATING}`)
    : failure("crash", message);
}
