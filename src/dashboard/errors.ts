import { RaymondError } from "../core/errors.ts";

/** Somebody asks for a run that is not there, or not any more. */
export class RunGoneError extends RaymondError {
  override readonly name = "RunGoneError";
  readonly code = "serve/no-such-run";

  constructor(id: string) {
    super(`There is no run ${id} here.`, {
      hint: "It may have been pruned: the list shows the runs that there are.",
    });
  }
}

/** Somebody asks for a state folder that this server does not show. */
export class UnknownFolderError extends RaymondError {
  override readonly name = "UnknownFolderError";
  readonly code = "serve/no-such-folder";

  constructor() {
    super("This server does not show such a folder.", {
      hint: "It shows those that it was started with: raymond serve FOLDER…",
    });
  }
}

/** A folder that was there when the server started is gone. */
export class FolderGoneError extends RaymondError {
  override readonly name = "FolderGoneError";
  readonly code = "serve/folder-gone";

  constructor(folder: string) {
    super(`The folder ${folder} is gone, and its runs with it.`, {
      hint: "When it comes back, its runs are shown again.",
    });
  }
}

/** A folder is named that holds no runs. */
export class NoRunsThereError extends RaymondError {
  override readonly name = "NoRunsThereError";
  readonly code = "serve/no-runs-there";

  constructor(folder: string) {
    super(`${folder} holds no runs: it is neither a project with a .raymond, nor such a folder.`, {
      hint: "Name the folder of a project in which raymond has run, or a state folder.",
    });
  }
}

/** Something else listens there. */
export class PortTakenError extends RaymondError {
  override readonly name = "PortTakenError";
  readonly code = "serve/port-taken";

  constructor(host: string, port: number) {
    super(`Port ${String(port)} of ${host} is taken: something listens there already.`, {
      hint: "It may be another raymond serve. Leave --port away, and a free one is chosen.",
    });
  }
}

/** Control is allowed on an address that other machines can reach, and nobody has said that this is meant. */
export class RemoteControlError extends RaymondError {
  override readonly name = "RemoteControlError";
  readonly code = "serve/remote-control";

  constructor(host: string) {
    super(
      `--host ${host} with --allow-control would let other machines start programs here, over a connection that is not encrypted.`,
      {
        hint: "Leave out --host and connect by ssh -L PORT:127.0.0.1:PORT. If you trust the network, use --allow-remote-control.",
      },
    );
  }
}

/** It may not listen there, or there is no such address. */
export class CannotListenError extends RaymondError {
  override readonly name = "CannotListenError";
  readonly code = "serve/cannot-listen";

  constructor(host: string, port: number, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Port ${String(port)} of ${host} cannot be listened on: ${reason}.`, {
      hint: "Choose another --port above 1023, or leave --host away.",
      cause,
    });
  }
}

/** A run that is resumed as it is would stop again at once. */
export class StopsAgainError extends RaymondError {
  override readonly name = "StopsAgainError";
  readonly code = "serve/stops-again";

  constructor(reason: string, missing: string) {
    super(`The run would stop again at once. ${reason}`.trim(), {
      hint: `Resume it with ${missing}.`,
    });
  }
}

/** The page has not been built. */
export class NoPageError extends RaymondError {
  override readonly name = "NoPageError";
  readonly code = "serve/no-page";

  constructor(folder: string) {
    super(`The page is not there: ${folder} has no index.html.`, {
      hint: "Where raymond runs from its sources, npm run build makes it.",
    });
  }
}

/** A request by whoever does not belong here, or that no page of ours makes. */
export class RefusedError extends RaymondError {
  override readonly name = "RefusedError";
  readonly code: `serve/${string}`;
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 503;

  constructor(
    status: RefusedError["status"],
    code: `serve/${string}`,
    message: string,
    hint: string,
  ) {
    super(message, { hint });
    this.status = status;
    this.code = code;
  }
}

export function wrongMethod(): RefusedError {
  const [message, hint] = [
    "Only GET and POST are answered.",
    "docs/dashboard.md says what there is.",
  ];
  return new RefusedError(405, "serve/wrong-method", message, hint);
}

export function noAddress(): RefusedError {
  const [message, hint] = [
    "There is nothing at this address.",
    "docs/dashboard.md says what there is.",
  ];
  return new RefusedError(404, "serve/no-such-address", message, hint);
}

/** Something is to be done, and the server may only show. */
export function readOnly(): RefusedError {
  return new RefusedError(
    403,
    "serve/read-only",
    "Here runs are only shown: nothing can be started, answered or stopped.",
    "Start the server with raymond serve --allow-control, or use the command.",
  );
}
