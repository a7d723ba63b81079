import type { ProcessEnd } from "../../engine/ports/process.ts";
import type { Failure } from "../../machine/model/failure.ts";
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
  { call, command, folderMissing }: Pick<CallEnding<unknown>, "call" | "command" | "folderMissing">,
  { code, message }: NonNullable<ProcessEnd["spawnError"]>,
  { name, install }: Program,
): Failure {
  if (folderMissing) {
    return permanent(
      `The working directory does not exist: ${call.cwd}.`,
      "Create it, or fix the cd attribute of the transition to this state.",
    );
  }
  if (code === "ENOENT") {
    return permanent(
      `Cannot find ${name}: ${command} does not exist.`,
      `Install it with: ${install}. Or set its path with --client ${name}=PATH.`,
    );
  }
  if (code === "EACCES") {
    return permanent(
      `Cannot start ${name}: ${command} is not executable.`,
      `Run: chmod +x ${command}. Or set another path with --client ${name}=PATH.`,
    );
  }
  return permanent(
    `Cannot start ${command}: ${clause(message)}.`,
    "Check the permissions of the file, and that it is built for this system.",
  );
}

/** How a process ended, as a sentence. */
export function describeExit(
  { end, stderr }: Pick<CallEnding<unknown>, "end" | "stderr">,
  program: string,
  hasResult: boolean,
): string {
  const how =
    end.signal === null
      ? `ended with exit code ${String(end.exitCode ?? "unknown")}`
      : `was killed by ${end.signal}`;
  const when = hasResult ? "after its result" : "before its result";
  return `${program} ${how} ${when}.${tail(stderr)}`;
}
