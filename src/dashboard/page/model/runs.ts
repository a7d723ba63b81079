import { head } from "../../../console/format/first-line.ts";
import { localMoment } from "../../../console/local-time.ts";
import type { PlaceJson } from "../../../inspect/json/shapes.ts";
import { counted } from "../../../language/basics/counted.ts";
import { DEFAULT_POOL } from "../../../language/basics/default-pool.ts";
import { cut } from "../../../log/printable.ts";
import type { ListedRunJson, RunsJson } from "../../api.ts";
import { STATUS_BADGES, type Status } from "./badge.ts";

export interface RunRow {
  readonly run: ListedRunJson;
  /** `FolderJson.folder`. */
  readonly folder: string;
  /** Null if the page shows only one project. */
  readonly project: string | null;
}

/** A run matches if it contains all words and its status is in the group. */
export interface RunFilter {
  readonly words: string;
  readonly group: Group;
}

export const GROUPS = ["all", "live", "asks", "stopped", "done"] as const;
export type Group = (typeof GROUPS)[number];

const LIVE = ["running", "waiting", "held", "queued"] as const;
const STOPPED = [
  ...(["paused", "interrupted", "budget_exceeded", "failed", "crashed", "unreadable"] as const),
];

/** The statuses of a group. Empty: all. */
export const STATUSES_OF: Readonly<Record<Group, readonly Status[]>> = {
  ...{ all: [], live: LIVE, asks: [], stopped: STOPPED, done: ["completed"] },
};

/** The runs of all folders, last started first. */
export function runRows({ folders }: RunsJson): readonly RunRow[] {
  return folders
    .flatMap(({ folder, project, runs }) => {
      const shown = folders.length === 1 ? null : baseName(project);
      return runs.map((run) => ({ run, folder, project: shown }));
    })
    .toSorted((a, b) => startOf(b.run).localeCompare(startOf(a.run)));
}

/** When it was started, or the last change of a run without a known start. ISO 8601. */
export function startOf({ started_at, updated_at }: ListedRunJson): string {
  return started_at ?? updated_at;
}

export function workflowOf({ workflow }: ListedRunJson): string {
  return baseName(workflow ?? "unknown workflow");
}

export function hasQuestion({ questions }: ListedRunJson): boolean {
  return questions.some(({ answered }) => !answered);
}

export function matchesFilter(
  { run, project }: RunRow,
  { words, group }: RunFilter,
  now: number,
): boolean {
  const statuses = STATUSES_OF[group];
  if (statuses.length > 0 && !statuses.includes(run.status)) return false;
  if (group === "asks" && !hasQuestion(run)) return false;
  const place = run.place === undefined ? "" : placeText(run.place);
  const status = STATUS_BADGES[run.status].words;
  const texts = [run.workflow_id, workflowOf(run), status, project, place, waitText(run, now)];
  const text = texts.join(" ").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** What a run is waiting for, or why it cannot be read; else empty. */
export function waitText(run: ListedRunJson, now: number): string {
  const { problem, questions, waits_until, status, place } = run;
  if (problem !== null) return head(problem).first;
  const [first, ...more] = questions.filter(({ answered }) => !answered);
  if (first !== undefined) {
    const asked = first.question === null ? "" : `: ${cut(head(first.question).first, 120)}`;
    const others = more.length === 0 ? "" : ` (and ${counted(more.length, "more question")})`;
    return `${first.agent} asks${asked}${others}`;
  }
  if (waits_until !== null && (status === "waiting" || status === "queued")) {
    return `until ${localMoment(Date.parse(waits_until), now)}`;
  }
  return status === "queued" && place !== undefined ? queueReason(place) : "";
}

/** Machine, pool (unless it is the default) and account. */
export function placeText({ home, pool, account }: PlaceJson): string {
  const named = [home ?? "none yet", ...(pool === DEFAULT_POOL ? [] : [pool])];
  return [...named, ...(account === null ? [] : [account])].join(" · ");
}

/** Completes "Waiting …" for a queued run. */
export function queueReason({ waits_for, home, pinned, pool }: PlaceJson): string {
  if (waits_for === null) return `for ${pinned ?? `a worker of the pool ${pool}`}`;
  const role = waits_for === home ? "its machine" : "machine";
  return `for ${role} ${waits_for}, which is offline`;
}

/** The last part of a path of any platform. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}
