import type { RaymondError } from "../../language/basics/errors.ts";
import { fleetErrors } from "../errors.ts";

/** For what goes over a network, ms. */
export const NETWORK_MS = 15 * 60_000;

/** A URL as it may be kept and shown: without a password, and over HTTP without any name, which may be a token. */
export function withoutSecrets(url: string): string {
  return url
    .replace(/^(https?:\/\/)[^/@]*@/i, "$1")
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:]*):[^/@]*@/i, "$1@");
}

/** Why a remote did not give or take what was asked: whether it may be back by itself. */
export function remoteTrouble(repository: string, said: string): RaymondError {
  return AWAY.test(said)
    ? fleetErrors["fleet/away-remote"](repository, said)
    : fleetErrors["fleet/remote-refused"](repository, said);
}

/** What git says where the network, and nobody's right or spelling, is the reason. */
const AWAY =
  /could not resolve host|timed out|failed to connect|connection (refused|reset|closed)|network is unreachable|no route to host|early eof|hung up unexpectedly|temporary failure|returned error: 5\d\d/i;

/** What git says of a commit, a branch or a tag that the remote does not have. */
export function isMissing(said: string): boolean {
  return /not our ref|couldn't find remote ref|no such remote ref|unadvertised object/i.test(said);
}
