import type { Invocation } from "../../engine/ports/backend.ts";
import type { SessionId } from "../../machine/model/agent.ts";
import { type Profile, profileArgs, toml } from "./permission-profile.ts";

type Asked = Pick<Invocation, "model" | "effort" | "level" | "sandbox">;

/**
 * The arguments of one call (docs/codex.md, "Command line"). The prompt is passed on standard input. The session exists
 * already: also a new one is resumed. `access`: of `accessArgs`.
 */
export function codexArgs(
  call: Asked,
  session: SessionId,
  profile: Exclude<Profile, { kind: "impossible" }>,
  access: readonly string[],
): readonly string[] {
  return [
    ...["exec", "--json", "--skip-git-repo-check"],
    ...settingsArgs(call, profile),
    ...access,
    ...["resume", session, "-"],
  ];
}

/** The arguments of a manual session in the terminal. */
export function manualCodexArgs(
  call: Asked,
  session: SessionId,
  profile: Exclude<Profile, { kind: "impossible" }>,
): readonly string[] {
  return ["resume", session, ...settingsArgs(call, profile, "on-request")];
}

function settingsArgs(
  call: Asked,
  profile: Exclude<Profile, { kind: "impossible" }>,
  approval = "never",
): readonly string[] {
  const { model, effort, level, sandbox } = call;
  const isOnline = level === "full" && sandbox?.network !== false;
  return [
    ...profileArgs(profile),
    ...["-c", `approval_policy="${approval}"`],
    // A rule of the user that allows a command also runs it outside of the sandbox (measured).
    ...(approval === "never" && profile.kind === "restricted" ? ["--ignore-rules"] : []),
    // The provider searches, so the sandbox does not apply.
    ...(isOnline ? [] : ["-c", 'web_search="disabled"']),
    ...(approval === "never" ? FIXED : []),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(effort === null ? [] : ["-c", `model_reasoning_effort=${toml(levelOf(effort, model))}`]),
  ];
}

/**
 * Subagents have conversations of their own, whose usage no event of the call reports. The features `multi_agent` do not
 * apply to a resumed conversation (measured). By default the client retries forever while it cannot reach the provider;
 * raymond waits and retries itself.
 */
const FIXED = [
  ...["-c", "agents.enabled=false", "-c", "features.unbounded_connection_retries=false"],
] as const;

/** The levels have the same names, and models up to gpt-5.5 have no `max`. */
function levelOf(effort: NonNullable<Asked["effort"]>, model: string | null): string {
  const isOlder = /\bgpt-5(?:\.[0-5])?(?![.\d])/.test(model ?? "");
  return effort === "max" && isOlder ? "xhigh" : effort;
}
