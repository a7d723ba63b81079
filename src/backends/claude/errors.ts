import { RaymondError } from "../../core/errors.ts";

/** There is no client where one was looked for. */
export class ClientNotFoundError extends RaymondError {
  override readonly name = "ClientNotFoundError";
  readonly code = "claude/not-found";
  readonly wanted: string;

  constructor(wanted: string, onPath: boolean) {
    const where = onPath ? `"${wanted}" is not on PATH` : `there is no program at ${wanted}`;
    super(`The client was not found: ${where}.`, {
      hint: "Install it (npm install -g @anthropic-ai/claude-code), or name it by --claude PATH or RAYMOND_CLAUDE.",
    });
    this.wanted = wanted;
  }
}

/** The file that was named as the client is there, and the system would not run it. */
export class ClientNotExecutableError extends RaymondError {
  override readonly name = "ClientNotExecutableError";
  readonly code = "claude/unusable";
  readonly path: string;

  constructor(path: string) {
    super(`The client cannot be run: ${path} is not executable.`, {
      hint: `Allow it (chmod +x ${path}), or name another by --claude PATH or RAYMOND_CLAUDE.`,
    });
    this.path = path;
  }
}

/** A program was found, but it does not answer as the client does. */
export class ClientUnusableError extends RaymondError {
  override readonly name = "ClientUnusableError";
  readonly code = "claude/unusable";
  readonly path: string;

  constructor(path: string, exitCode: number | null) {
    const how = exitCode === null ? "could not be run" : `ended with exit code ${String(exitCode)}`;
    super(`${path} --version ${how}.`, {
      hint: "Try it by hand; reinstall the client, or name another by --claude PATH.",
    });
    this.path = path;
  }
}

/** The client has no account to work with. */
export class NotLoggedInError extends RaymondError {
  override readonly name = "NotLoggedInError";
  readonly code = "claude/not-logged-in";

  constructor() {
    super("claude is not logged in.", {
      hint: "Run `claude` once and log in, or set ANTHROPIC_API_KEY.",
    });
  }
}
