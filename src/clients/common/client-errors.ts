import { createError, type RaymondError } from "../../language/basics/errors.ts";
import type { Program } from "./exit-failure.ts";

/** Problems of a client before a call, with the codes `NAME/not-found`, `NAME/unusable` and `NAME/not-logged-in`. */
export interface ClientErrors {
  /** `onPath`: it was searched on PATH. `elsewhere`: a file that is not on PATH. */
  notFound(client: string, onPath: boolean, elsewhere?: string | null): RaymondError;
  /** `exitCode` of `--version`; null: it did not run. */
  unusable(path: string, exitCode: number | null | "not executable"): RaymondError;
  notLoggedIn(): RaymondError;
}

/** `login`: how to log in. */
export function clientErrors({ name, install }: Program, login: string): ClientErrors {
  const other = `--client ${name}=PATH`;
  return {
    notFound: (client, onPath, elsewhere = null) =>
      createError(`${name}/not-found`, {
        message: onPath ? `Cannot find "${client}" on PATH.` : `Cannot find the client ${client}.`,
        hint:
          elsewhere === null
            ? `Install it with: ${install}. Or set its path with ${other}.`
            : `It is installed as ${elsewhere}. Add that folder to PATH, or use: --client ${name}=${elsewhere}`,
      }),
    unusable: (path, exitCode) => {
      if (exitCode === "not executable") {
        return createError(`${name}/unusable`, {
          message: `Cannot run the client: ${path} is not executable.`,
          hint: `Run: chmod +x ${path}. Or set another path with ${other}.`,
        });
      }
      const how = exitCode === null ? "cannot be run" : `failed with exit code ${String(exitCode)}`;
      return createError(`${name}/unusable`, {
        message: `${path} --version ${how}.`,
        hint: `Run it in a terminal to see why. Reinstall the client, or set another path with ${other}.`,
      });
    },
    notLoggedIn: () =>
      createError(`${name}/not-logged-in`, { message: `${name} is not logged in.`, hint: login }),
  };
}

/** The codes of {@link ClientErrors}, after the name. */
export const CLIENT_PROBLEMS = ["not-found", "unusable", "not-logged-in"] as const;
