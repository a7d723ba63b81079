import { head } from "../../../console/format/first-line.ts";
import { distanceOf, localMoment, localTime } from "../../../console/local-time.ts";
import type { PlaceJson } from "../../../inspect/json/shapes.ts";
import { counted } from "../../../language/basics/counted.ts";
import { DEFAULT_POOL } from "../../../language/basics/default-pool.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { cut, printable } from "../../../log/printable.ts";
import type { FolderJson, ListedRunJson, RunsJson } from "../../api.ts";
import { lookOf, type Status, type StatusLook } from "./status-look.ts";

/** A run in the list. All texts are safe to display. */
export interface RunRow {
  readonly folder: string;
  readonly run: string;
  readonly status: Status;
  readonly look: StatusLook;
  readonly workflow: string;
  /** Machine, pool and account; null unless the run belongs to a fleet. */
  readonly place: string | null;
  /** Null if the page shows only one project. */
  readonly project: string | null;
  readonly when: string;
  /** The start time to the second. */
  readonly exactly: string;
  readonly steps: string;
  readonly agents: string;
  readonly cost: string;
  readonly isSimulated: boolean;
  /** What it is waiting for, or why it cannot be read; else empty. */
  readonly waits: string;
  /** The number of open questions. */
  readonly asks: number;
}

/** A run matches if it contains all words and its status is in the group. */
export interface RunFilter {
  readonly words: string;
  readonly group: Group;
}

export const GROUPS = ["all", "live", "asks", "stopped", "done"] as const;
export type Group = (typeof GROUPS)[number];

/** The statuses of a group, for the server. Empty: all. */
export const STATUSES_OF: Readonly<Record<Group, readonly Status[]>> = {
  all: [],
  live: ["running", "waiting", "held", "queued"],
  asks: [],
  stopped: ["paused", "interrupted", "budget_exceeded", "failed", "crashed", "unreadable"],
  done: ["completed"],
};

const GROUP_OF: Readonly<Record<Status, Group>> = {
  running: "live",
  waiting: "live",
  stopping: "live",
  held: "live",
  queued: "live",
  paused: "stopped",
  interrupted: "stopped",
  budget_exceeded: "stopped",
  crashed: "stopped",
  failed: "stopped",
  unreadable: "stopped",
  completed: "done",
};

/** The runs of all folders, last started first. */
export function runRows({ folders }: RunsJson, now: number): readonly RunRow[] {
  const isOne = folders.length === 1;
  const dated = folders.flatMap((folder) =>
    folder.runs.map((run) => ({ at: run.started_at ?? run.updated_at, run, folder })),
  );
  return dated
    .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .map(({ run, folder }) => rowOf(run, folder, isOne, now));
}

export function matchesFilter(row: RunRow, { words, group }: RunFilter): boolean {
  const fits =
    group === "all" || (group === "asks" ? row.asks > 0 : GROUP_OF[row.status] === group);
  if (!fits) return false;
  const text =
    `${row.run} ${row.workflow} ${row.look.words} ${row.project ?? ""} ${row.place ?? ""} ${row.waits}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function rowOf(
  run: ListedRunJson,
  { folder, project }: FolderJson,
  isOne: boolean,
  now: number,
): RunRow {
  const began = Date.parse(run.started_at ?? run.updated_at);
  const open = run.questions.filter(({ answered }) => !answered);
  return {
    folder,
    run: run.workflow_id,
    status: run.status,
    look: lookOf(run.status),
    workflow: printable(baseName(run.workflow ?? "unknown workflow")),
    place: run.place === undefined ? null : printable(placeText(run.place)),
    project: isOne ? null : printable(baseName(project)),
    when: now - began < 3_600_000 ? distanceOf(began, now) : localMoment(began, now),
    exactly: localTime(began),
    steps: run.steps === null ? "" : counted(run.steps, "step"),
    agents: run.agents === null ? "" : counted(run.agents, "agent"),
    cost: run.total_cost_usd === null ? "" : formatUsd(toMicroUsd(run.total_cost_usd)),
    isSimulated: run.simulated === true,
    waits: waitText(run, now),
    asks: open.length,
  };
}

function waitText(run: ListedRunJson, now: number): string {
  const { problem, questions, waits_until, status, place } = run;
  if (problem !== null) return printable(head(problem).first);
  const [first, ...more] = questions.filter(({ answered }) => !answered);
  if (first !== undefined) {
    const asked =
      first.question === null ? "" : `: ${cut(printable(head(first.question).first), 120)}`;
    return `${first.agent} asks${asked}${more.length === 0 ? "" : ` (and ${counted(more.length, "more question")})`}`;
  }
  if (waits_until !== null && (status === "waiting" || status === "queued")) {
    return `until ${localMoment(Date.parse(waits_until), now)}`;
  }
  return status === "queued" && place !== undefined ? queueReason(place) : "";
}

/** Machine, pool (unless it is the default) and account. */
function placeText({ home, pool, account }: PlaceJson): string {
  const named = [home ?? "none yet", ...(pool === DEFAULT_POOL ? [] : [pool])];
  return [...named, ...(account === null ? [] : [account])].join(" · ");
}

/** What a queued run is waiting for: completes "Waiting …". */
export function queueReason({ waits_for, home, pinned, pool }: PlaceJson): string {
  if (waits_for === null) {
    return printable(pinned === null ? `for a worker of the pool ${pool}` : `for ${pinned}`);
  }
  const role = waits_for === home ? "its machine" : "machine";
  return printable(`for ${role} ${waits_for}, which is offline`);
}

/** The last part of a path, whichever platform wrote it. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}
