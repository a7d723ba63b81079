import { setup as build } from "../support/build.ts";
import { installClients } from "../support/client/clients.ts";

/** Before the first test against real clients: they are installed, and raymond is built. */
export async function setup(): Promise<void> {
  await installClients();
  await build();
}
