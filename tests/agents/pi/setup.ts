import { installPi } from "./install.ts";

/** Before the first test against the real client. */
export async function setup(): Promise<void> {
  await installPi();
}
