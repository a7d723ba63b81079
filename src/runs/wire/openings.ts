import type { Openings, Visit } from "../../ports/openings.ts";
import { thisHost } from "../../stores/host-identity.ts";
import {
  beginVisit,
  type OwnVisit,
  type VisitWorld,
  visitFiles,
} from "../../stores/visit-files.ts";
import type { System } from "./system.ts";

export type { OwnVisit } from "../../stores/visit-files.ts";

type Parts = Pick<System, "disk" | "processes">;

/** Who has conversations of a run open by hand. */
export function openingsIn(folder: string, parts: Parts): Openings {
  return visitFiles(() => worldOf(parts), folder);
}

/** Writes down that a person comes, who is there as long as this process lives, or another that is shown. */
export async function beginVisitIn(
  folder: string,
  visit: Pick<Visit, "agent" | "at" | "now">,
  parts: Parts,
): Promise<OwnVisit> {
  return beginVisit({ ...(await worldOf(parts)), pid: process.pid }, folder, visit);
}

async function worldOf({ disk, processes: { identify } }: Parts): Promise<VisitWorld> {
  return { disk, identify, place: await thisHost() };
}
