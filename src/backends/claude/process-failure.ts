import { type Failure, failure } from "../../core/machine/failure.ts";
import type { ProcessEnd } from "../../ports/process.ts";
import type { CallEnding } from "./ending.ts";
import { stdinFailure } from "./prompt-failure.ts";
import { clause, tail } from "./said.ts";

/**
 * What the end of the process says, where no event told more. It is asked last,
 * so it never answers null.
 */
export function processFailure(ending: CallEnding): Failure {
  const { end, facts, stderr } = ending;
  if (end.spawnError !== null) return spawnFailure(ending, end.spawnError);
  const { verdict } = facts;
  if (verdict?.isError === true) {
    const words = verdict.text === "" ? verdict.errors.join("; ") : verdict.text;
    const said = words === "" ? verdict.subtype : words;
    return failure("crash", `claude ended with an error: ${clause(said)}.${tail(stderr)}`);
  }
  return startFailure(ending) ?? failure("crash", crashMessage(ending));
}

/** What the client complains about before it does anything. */
function startFailure(ending: CallEnding): Failure | null {
  const { facts, stderr } = ending;
  if (facts.version !== null) return null;
  if (/root\/sudo privileges/i.test(stderr)) {
    return failure(
      "deterministic",
      "claude refuses --dangerously-skip-permissions to root.",
      "Run raymond as a user that is not root, or set IS_SANDBOX=1 where the machine is a sandbox.",
    );
  }
  if (/unknown option|argument .* is invalid|unknown command/i.test(stderr)) {
    return failure(
      "deterministic",
      `claude does not understand how it was called.${tail(stderr)}`,
      "Update the client (npm install -g @anthropic-ai/claude-code), or name another by --claude PATH.",
    );
  }
  if (/not logged in|invalid api key|please run \/login/i.test(stderr)) {
    return failure(
      "deterministic",
      `claude is not logged in.${tail(stderr)}`,
      "Run `claude` once and log in, or set ANTHROPIC_API_KEY.",
    );
  }
  return stdinFailure(ending);
}

function spawnFailure(
  { call, command, folderMissing }: CallEnding,
  { code, message }: NonNullable<ProcessEnd["spawnError"]>,
): Failure {
  if (folderMissing) {
    return failure(
      "deterministic",
      `The working directory does not exist: ${call.cwd}.`,
      "Create it, or correct the cd of the transition that led here.",
    );
  }
  if (code === "ENOENT") {
    return failure(
      "deterministic",
      `claude was not found: there is no ${command}.`,
      "Install it (npm install -g @anthropic-ai/claude-code), or name it by --claude PATH.",
    );
  }
  if (code === "EACCES") {
    return failure(
      "deterministic",
      `claude could not be started: ${command} is not executable.`,
      `Allow it (chmod +x ${command}), or name another by --claude PATH.`,
    );
  }
  return failure(
    "deterministic",
    `${command} could not be started: ${clause(message)}.`,
    "Look at the file's permissions, and whether it fits this system.",
  );
}

function crashMessage({ end, facts, stderr }: CallEnding): string {
  const how =
    end.signal === null
      ? `ended with exit code ${String(end.exitCode ?? "unknown")}`
      : `was killed by ${end.signal}`;
  const what = facts.verdict === null ? "before it gave a result" : "after its result";
  return `claude ${how} ${what}.${tail(stderr)}`;
}
