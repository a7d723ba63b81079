import { installClients } from "../support/client/clients.ts";

/** Before the first test against the real clients. */
export async function setup(): Promise<void> {
  await installClients(["2.1.330"]);
}
