import type { Session, SessionId } from "../../core/machine/agent.ts";
import type { Invocation } from "../../ports/backend.ts";

/**
 * The arguments of one call of the client (docs/claude.md, "What is called"):
 * all of them each time, for the client remembers nothing reliably. The prompt
 * is not among them: it travels by standard input. Throws for a session without
 * its id, which is a bug: ids are made and saved before the call.
 */
export function clientArgs(call: Invocation): readonly string[] {
  return [
    "-p",
    ...["--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...commonArgs({ ...call, disallowedTools: withDeniedPaths(call) }),
    ...optional("--max-budget-usd", budget(call.maxBudgetMicroUsd)),
    ...sessionArgs(call.session),
  ];
}

/** What a person's use of the client has in common with a call of raymond's. */
export type ByHand = Pick<
  Invocation,
  "model" | "effort" | "skipPermissions" | "tools" | "allowedTools" | "disallowedTools"
>;

/** The arguments that open a conversation for a person. No budget: the client knows one only where nobody sits. */
export function argsByHand(settings: ByHand, session: SessionId): readonly string[] {
  return [...commonArgs(settings), ...sessionArgs({ mode: "resume", id: session })];
}

function commonArgs(call: ByHand): readonly string[] {
  return [
    ...(call.skipPermissions
      ? ["--dangerously-skip-permissions"]
      : ["--permission-mode", "acceptEdits"]),
    ...optional("--model", call.model),
    ...optional("--effort", call.effort),
    ...list("--tools", call.tools),
    ...list("--allowed-tools", call.allowedTools),
    ...list("--disallowed-tools", call.disallowedTools),
  ];
}

/**
 * One `Edit` rule covers a file, or a folder with all it contains, for every tool that writes files and for the file
 * commands and redirections of Bash. Two leading slashes make the path absolute. `?` matches any character: it stands
 * for those that are special in a rule or separate rules.
 */
function withDeniedPaths({
  disallowedTools,
  deniedPaths,
}: Pick<Invocation, "disallowedTools" | "deniedPaths">): readonly string[] | null {
  if (deniedPaths.length === 0) return disallowedTools;
  const rules = deniedPaths.map(
    (place) => `Edit(/${posixPath(place).replace(/[^\w./\u0080-\uffff-]/g, "?")})`,
  );
  return [...(disallowedTools ?? []), ...rules];
}

/** `C:\Users` is `/c/Users` to the client. */
function posixPath(place: string): string {
  return place
    .replace(/^([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}`)
    .replaceAll("\\", "/");
}

function sessionArgs(session: Session): readonly string[] {
  switch (session.mode) {
    case "fresh":
      return [equals("--session-id", known(session.id))];
    case "resume":
      return [equals("--resume", session.id)];
    case "branch":
      return [
        equals("--resume", session.source),
        "--fork-session",
        equals("--session-id", known(session.id)),
      ];
  }
}

function known(id: string | null): string {
  if (id === null) throw new Error("a session must have its id before the client is called");
  return id;
}

/** `--name=value` cannot be misread where a value begins with a hyphen or is empty. */
function equals(name: string, value: string): string {
  return `${name}=${value}`;
}

function optional(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [equals(name, value)];
}

/** The client takes lists with commas; rules such as `Bash(git log:*)` may hold blanks. */
function list(name: string, values: readonly string[] | null): readonly string[] {
  return values === null ? [] : [equals(name, values.join(","))];
}

/** A plain decimal of dollars: exponents are not understood, and 0 is refused. */
function budget(microUsd: number | null): string | null {
  if (microUsd === null) return null;
  const whole = Math.max(1, Math.floor(microUsd));
  const digits = String(whole).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
