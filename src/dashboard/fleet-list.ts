import { RUN_STATUSES } from "../core/machine/run-state.ts";
import type { FleetBoard, FleetMachine, FleetQueue, FleetRun } from "../runs/fleet-board.ts";
import { accountJson, machineJson, placeJson, scheduleJson } from "../runs/json/fleet-json.ts";
import { summaryJson } from "../runs/json/summary-json.ts";
import type {
  FolderJson,
  ListedRunJson,
  OlderRunsJson,
  QueueJson,
  SeenMachineJson,
} from "./api.ts";
import type { OlderWanted } from "./request.ts";

/** What the list shows of a fleet: never all of its runs, of which there may be many. */
export async function fleetJson(
  board: FleetBoard,
): Promise<Pick<FolderJson, "runs" | "more" | "older" | "fleet">> {
  const any = { words: [], after: null, limit: MOST_RUNS } as const;
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
      machines: machines.map(seenJson),
      queues: queues.map(queueJson),
      accounts: accounts.map(accountJson),
      schedules: schedules.map(scheduleJson),
    },
  };
}

/** Runs that are older than those that the list shows. */
export async function olderRuns(
  board: FleetBoard,
  { after, statuses, words }: OlderWanted,
): Promise<OlderRunsJson> {
  const saved = RUN_STATUSES.filter((status) => statuses.includes(status));
  const wanted = statuses.length === 0 ? null : saved;
  const found = await board.list({ after, words, statuses: wanted, limit: MOST_RUNS });
  return { runs: found.runs.map(listedJson), older: found.next };
}

/** So many are read at a look, and as many of those that go on. */
const MOST_RUNS = 200;

function listedJson({ place, ...run }: FleetRun): ListedRunJson {
  return { ...summaryJson(run), ...(place !== null && { place: placeJson(place) }) };
}

function seenJson(machine: FleetMachine): SeenMachineJson {
  const { heard_at, ...json } = machineJson(machine);
  return { ...json, silent_since: machine.lives ? null : heard_at };
}

function queueJson({ served, drained, ...queue }: FleetQueue): QueueJson {
  return { ...queue, takers: served ? "some" : drained ? "drained" : "none" };
}
