import { clientErrors } from "../common/client-errors.ts";
import type { Program } from "../common/exit-failure.ts";

export const PI: Program = {
  name: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
};

export const LOG_IN = "Run `pi` once and log in with /login, or set the API key of the provider.";

export const piErrors = clientErrors(PI, LOG_IN);
