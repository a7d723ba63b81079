import type { FleetBoard, FleetMachine, FleetQueue, FleetRun } from "../../inspect/fleet-board.ts";
import {
  accountJson,
  machineJson,
  placeJson,
  scheduleJson,
} from "../../inspect/json/fleet-json.ts";
import { summaryJson } from "../../inspect/json/report-json.ts";
import { RUN_STATUSES } from "../../machine/model/run-state.ts";
import type {
  FolderJson,
  ListedMachineJson,
  ListedRunJson,
  OlderRunsJson,
  QueueJson,
} from "../api.ts";
import type { OlderQuery } from "../server/request.ts";

/** The list entry of a fleet: its newest runs and the newest active ones. */
export async function fleetJson(
  board: FleetBoard,
): Promise<Pick<FolderJson, "runs" | "more" | "older" | "fleet">> {
  const any = { words: [], after: null, limit: MAX_RUNS } as const;
  const [last, live, machines, queues, accounts, schedules] = await Promise.all([
    board.list({ ...any, statuses: null }),
    board.list({ ...any, statuses: ["running", "waiting"] }),
    board.machines(),
    board.queues(),
    board.accounts(),
    board.schedules(),
  ]);
  const known = new Set(last.runs.map(({ id }) => id));
  const runs = [...last.runs, ...live.runs.filter(({ id }) => !known.has(id))];
  return {
    runs: runs.map(listedJson),
    more: 0,
    older: last.next,
    fleet: {
      machines: machines.map(listedMachineJson),
      queues: queues.map(queueJson),
      accounts: accounts.map(accountJson),
      schedules: schedules.map(scheduleJson),
    },
  };
}

/** Runs that are older than those in the list. */
export async function olderRuns(
  board: FleetBoard,
  { after, statuses, words }: OlderQuery,
): Promise<OlderRunsJson> {
  const saved = RUN_STATUSES.filter((status) => statuses.includes(status));
  const wanted = statuses.length === 0 ? null : saved;
  const found = await board.list({ after, words, statuses: wanted, limit: MAX_RUNS });
  return { runs: found.runs.map(listedJson), older: found.next };
}

/** Limit of each query: for all runs, and for active runs. */
const MAX_RUNS = 200;

function listedJson({ place, ...run }: FleetRun): ListedRunJson {
  return { ...summaryJson(run), ...(place !== null && { place: placeJson(place) }) };
}

function listedMachineJson(machine: FleetMachine): ListedMachineJson {
  const { heartbeat_at, ...json } = machineJson(machine);
  return { ...json, silent_since: machine.lives ? null : heartbeat_at };
}

function queueJson({ served, drained, ...queue }: FleetQueue): QueueJson {
  return { ...queue, workers: served ? "available" : drained ? "drained" : "none" };
}
