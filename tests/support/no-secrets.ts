import { Secrets } from "../../src/process/secrets/secrets.ts";

/** Redacts nothing. */
export function noSecrets(): Secrets {
  return new Secrets({ environments: [], ignoreCase: false, warn: () => undefined });
}
