import type { Event } from "../machine/model/event.ts";
import type { Control, Engine } from "./engine.ts";
import { orphanWarnings } from "./orphan-warnings.ts";

/**
 * The events that precede the end of a run: who stopped it, and the orphan processes, which this
 * terminates. `arrived`: the messages that no pass has handled.
 */
export async function eventsBeforeEnd(
  token: string,
  { orphans }: Pick<Engine, "orphans">,
  control: Pick<Control, "receiveLate">,
  arrived: () => readonly { readonly type: string; readonly event?: Event }[],
): Promise<readonly Event[]> {
  await control.receiveLate?.();
  const late = arrived().flatMap(({ event }) => event ?? []);
  return [...late, ...orphanWarnings(await orphans.end(token))];
}
