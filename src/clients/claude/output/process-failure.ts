import { type Failure, failure } from "../../../machine/model/failure.ts";
import { lostSession, sessionInUse } from "../../common/call-failures.ts";
import { clause, permanent, tail } from "../../common/ending.ts";
import { exitFailure, spawnFailure } from "../../common/exit-failure.ts";
import { CLAUDE } from "../errors.ts";
import type { ClaudeEnding } from "../facts.ts";
import { stdinFailure } from "./prompt-failure.ts";

/** The failure by the exit of the process, if no event explains it. The last resort, so it never returns null. */
export function processFailure(ending: ClaudeEnding): Failure {
  const { end, facts, stderr } = ending;
  if (end.spawnError !== null) return spawnFailure(ending, end.spawnError, CLAUDE);
  const unavailable = sandboxFailure(ending);
  if (unavailable !== null) return unavailable;
  const { verdict } = facts;
  if (verdict?.isError === true) {
    const text = verdict.text === "" ? verdict.errors.join("; ") : verdict.text;
    const reason = text === "" ? verdict.subtype : text;
    return failure("crash", `claude reported an error: ${clause(reason)}.${tail(stderr)}`);
  }
  return startFailure(ending) ?? exitFailure(ending, "claude", ending.facts.verdict !== null);
}

/** The client has no sandbox on this machine. A retry would not find one. */
function sandboxFailure({ call, facts, stderr }: ClaudeEnding): Failure | null {
  if (call.sandbox === null || facts.accepted) return null;
  const text = [facts.verdict?.text, ...(facts.verdict?.errors ?? []), stderr].join("\n");
  // The rest of the line is advice to run without a sandbox.
  const [, why] = /sandbox required but unavailable:?[ \t]*([^\n\u00b7]*)/i.exec(text) ?? [];
  if (why === undefined) return null;
  return permanent(
    `claude cannot create the sandbox of ${call.state}: ${clause(why) || "it is unavailable"}.`,
    "Install bubblewrap and socat (Debian, Ubuntu: apt install bubblewrap socat) and allow user namespaces, or remove sandbox from the settings and from the state. raymond doctor checks this.",
  );
}

/** Errors of the client before its first event. */
function startFailure(ending: ClaudeEnding): Failure | null {
  const { facts, stderr } = ending;
  if (facts.version !== null) return null;
  if (/root\/sudo privileges/i.test(stderr)) {
    return permanent(
      "claude rejects --dangerously-skip-permissions for root.",
      "Run raymond as another user than root, or set IS_SANDBOX=1 if the machine is a sandbox.",
    );
  }
  if (/unknown option|argument .* is invalid|unknown command/i.test(stderr)) {
    return permanent(
      `claude rejected its arguments.${tail(stderr)}`,
      "Update the client with: npm install -g @anthropic-ai/claude-code. Or set another one with --claude PATH.",
    );
  }
  if (/not logged in|invalid api key|please run \/login/i.test(stderr)) {
    return permanent(
      `claude is not logged in.${tail(stderr)}`,
      "Run `claude` once and log in, or set ANTHROPIC_API_KEY.",
    );
  }
  return stdinFailure(ending);
}

/** The client rejected the session at the start; null if not. */
export function sessionFailure({ call, facts, stderr }: ClaudeEnding): Failure | null {
  const text = [...(facts.verdict?.errors ?? []), stderr].join("\n");
  if (facts.accepted) return null;
  if (/no conversation found/i.test(text)) {
    const { session } = call;
    const id = session.mode === "branch" ? session.source : (session.id ?? "");
    return lostSession("claude", id, "the client's folder (CLAUDE_CONFIG_DIR)", OLD_CLIENTS);
  }
  if (/session id .*already in use/i.test(text)) {
    return sessionInUse(`claude reports that session ${call.session.id ?? ""} is already in use.`);
  }
  return null;
}

const OLD_CLIENTS =
  "Clients before 2.1.223 find a conversation only from the working directory in which it started. ";
