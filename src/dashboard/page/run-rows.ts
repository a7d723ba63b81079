import { counted } from "../../core/counted.ts";
import { formatUsd, toMicroUsd } from "../../core/money.ts";
import { USUAL_POOL } from "../../core/usual-pool.ts";
import { head } from "../../observers/first-line.ts";
import { distanceOf, localMoment, localTime } from "../../observers/local-time.ts";
import { cut, printable } from "../../observers/printable.ts";
import type { PlaceJson } from "../../runs/json/shapes.ts";
import type { FolderJson, ListedRunJson, RunsJson } from "../api.ts";
import { lookOf, type Status, type StatusLook } from "./status-look.ts";

/** A run as the list shows it: all of it text that is safe to show. */
export interface RunRow {
  readonly folder: string;
  readonly run: string;
  readonly status: Status;
  readonly look: StatusLook;
  readonly workflow: string;
  /** Of a fleet: the machine that has it, its pool and its account; null of any other. */
  readonly place: string | null;
  /** The project, where the page shows several. */
  readonly project: string | null;
  readonly when: string;
  /** The same to the second. */
  readonly exactly: string;
  readonly steps: string;
  readonly agents: string;
  readonly cost: string;
  readonly isSimulated: boolean;
  /** What it waits for, or why it cannot be read; empty where it does neither. */
  readonly waits: string;
  /** Questions that are open. */
  readonly asks: number;
}

/** What of the runs is wanted: words that all have to be found, and a group of statuses. */
export interface RunFilter {
  readonly words: string;
  readonly group: Group;
}

export const GROUPS = ["all", "live", "asks", "stopped", "done"] as const;
export type Group = (typeof GROUPS)[number];

/** The statuses by which the server finds the runs of a group; none: all. */
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

/** The runs of all folders, the last started first. */
export function runRows({ folders }: RunsJson, now: number): readonly RunRow[] {
  const isOne = folders.length === 1;
  const dated = folders.flatMap((folder) =>
    folder.runs.map((run) => ({ at: run.started_at ?? run.updated_at, run, folder })),
  );
  return dated
    .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .map(({ run, folder }) => rowOf(run, folder, isOne, now));
}

export function isWanted(row: RunRow, { words, group }: RunFilter): boolean {
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
    place: run.place === undefined ? null : printable(placeWords(run.place)),
    project: isOne ? null : printable(baseName(project)),
    when: now - began < 3_600_000 ? distanceOf(began, now) : localMoment(began, now),
    exactly: localTime(began),
    steps: run.steps === null ? "" : counted(run.steps, "step"),
    agents: run.agents === null ? "" : counted(run.agents, "agent"),
    cost: run.total_cost_usd === null ? "" : formatUsd(toMicroUsd(run.total_cost_usd)),
    isSimulated: run.simulated === true,
    waits: waitsOf(run, now),
    asks: open.length,
  };
}

function waitsOf(run: ListedRunJson, now: number): string {
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
  return status === "queued" && place !== undefined ? queueWords(place) : "";
}

/** The machine that has a run of a fleet; its pool where nobody would expect it, and its account. */
function placeWords({ home, pool, account }: PlaceJson): string {
  const named = [home ?? "none yet", ...(pool === USUAL_POOL ? [] : [pool])];
  return [...named, ...(account === null ? [] : [account])].join(" · ");
}

/** What a run waits for that is in a queue. */
export function queueWords({ waits_for, home, pinned, pool }: PlaceJson): string {
  if (waits_for === null) {
    return printable(pinned === null ? `for a worker of the pool ${pool}` : `for ${pinned}`);
  }
  const whose = waits_for === home ? "its home" : "the machine";
  return printable(`for ${whose} ${waits_for}, which is not heard`);
}

/** The last part of a path, whichever platform wrote it. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}
