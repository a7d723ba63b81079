import { defineErrors } from "../../language/basics/errors.ts";

export const piErrors = defineErrors({
  "pi/not-found": (client: string, onPath: boolean) => ({
    message: onPath ? `Cannot find "${client}" on PATH.` : `Cannot find the client ${client}.`,
    hint: "Install it with: npm install -g @earendil-works/pi-coding-agent. Or set its path with --client pi=PATH.",
  }),

  /** `exitCode` of `--version`; null: it did not run. */
  "pi/unusable": (path: string, exitCode: number | null | "not executable") => {
    if (exitCode === "not executable") {
      return {
        message: `Cannot run the client: ${path} is not executable.`,
        hint: `Run: chmod +x ${path}. Or set another path with --client pi=PATH.`,
      };
    }
    const how = exitCode === null ? "cannot be run" : `failed with exit code ${String(exitCode)}`;
    return {
      message: `${path} --version ${how}.`,
      hint: "pi needs Node.js 22.19 or newer. Run it in a terminal to see why, or set another path with --client pi=PATH.",
    };
  },

  "pi/not-logged-in": () => ({
    message: "pi is not logged in: it has no credentials for the model.",
    hint: "Run `pi` once and log in with /login, or set the API key of the provider.",
  }),
});
