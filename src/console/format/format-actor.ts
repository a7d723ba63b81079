import type { Actor } from "../../machine/model/actor.ts";

/** `root (sudo: jane) on build-7, by the dashboard`. */
export function formatActor({ user, host, via, sudoUser }: Actor): string {
  const name = user ?? "an unknown user";
  const who = sudoUser === undefined ? name : `${name} (sudo: ${sudoUser})`;
  const where = host === null ? who : `${who} on ${host}`;
  return via === "dashboard" || via === "worker" ? `${where}, by the ${via}` : where;
}

/** The same as the end of a sentence; empty if it was not recorded. */
export function byActor(actor: Actor | undefined): string {
  if (actor === undefined) return "";
  return actor.via === "file" ? " by the simulation" : ` by ${formatActor(actor)}`;
}
