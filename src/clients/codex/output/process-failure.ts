import type { Failure } from "../../../machine/model/failure.ts";
import { lostSession, sessionInUse } from "../../common/call-failures.ts";
import { permanent, tail } from "../../common/ending.ts";
import { exitFailure, spawnFailure } from "../../common/exit-failure.ts";
import { CODEX } from "../errors.ts";
import type { CodexEnding } from "../facts.ts";

/** The failure by the exit of the process, if no event explains it. The last resort, so it never returns null. */
export function processFailure(ending: CodexEnding): Failure {
  const { end, facts } = ending;
  if (end.spawnError !== null) return spawnFailure(ending, end.spawnError, CODEX);
  return startFailure(ending) ?? exitFailure(ending, "codex", facts.verdict !== null);
}

/** Errors of the client before its turn. */
function startFailure({ call, facts, stderr }: CodexEnding): Failure | null {
  if (facts.verdict !== null || facts.accepted) return null;
  const id = call.session.id ?? "";
  if (/no rollout found for thread id/i.test(stderr)) return lostConversation(id);
  if (/already has an active writer/i.test(stderr)) {
    return sessionInUse(`codex reports that session ${id} is already in use.`);
  }
  if (/input_too_large/.test(stderr)) {
    const [, most] = /"max_chars":(\d+)/.exec(stderr) ?? [];
    const limit = most === undefined ? "" : ` The limit of codex is ${most} characters.`;
    const size = String(call.prompt.length);
    return permanent(
      `The prompt has ${size} characters.${limit}`,
      "Write the large part to a file, and refer to the file in the prompt.",
    );
  }
  if (/error loading config|failed to load config|invalid configuration/i.test(stderr)) {
    return permanent(
      `codex cannot read its configuration.${tail(stderr)}`,
      "Fix config.toml in the client's folder (CODEX_HOME, or ~/.codex).",
    );
  }
  if (/^error: (?:unexpected argument|invalid value|unrecognized subcommand)/im.test(stderr)) {
    return permanent(
      `codex rejected its arguments.${tail(stderr)}`,
      "Update the client with: npm install -g @openai/codex. Or set another one with --client codex=PATH.",
    );
  }
  return null;
}

export function lostConversation(id: string): Failure {
  return lostSession("codex", id, "the client's folder (CODEX_HOME)");
}
