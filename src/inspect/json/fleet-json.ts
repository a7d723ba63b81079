import { toUsd } from "../../language/basics/money.ts";
import { machineState } from "../../log/machine-state.ts";
import type { FleetAccount, FleetMachine, FleetSchedule, RunPlace } from "../fleet-board.ts";
import type { AccountJson, MachineJson, PlaceJson, ScheduleJson } from "./shapes.ts";

export function placeJson({ waitsFor, setAside, ...place }: RunPlace): PlaceJson {
  const { pool, account, home, pinned, workspace } = place;
  return { pool, account, home, pinned, workspace, waits_for: waitsFor, set_aside: setAside };
}

export function machineJson(machine: FleetMachine): MachineJson {
  const { id, lives, draining, pools, accounts, slots, runs, version } = machine;
  const { activeRuns: active_runs, clientProblems: client_problems } = machine;
  return {
    ...{ id, state: machineState(machine), lives, draining, pools, accounts, slots },
    ...{ active_runs, runs, version },
    heartbeat_at: machine.heartbeatAt?.toISOString() ?? null,
    ...(Object.keys(client_problems).length > 0 && { client_problems }),
  };
}

export function accountJson({ name, limits, cooldown, ...account }: FleetAccount): AccountJson {
  const { machines, runs, started, slots, todayMicroUsd, waiting, waiters } = account;
  const { rate, perDayMicroUsd } = limits;
  return {
    ...{ account: name, machines, runs, max_runs: limits.runs, started: started },
    rate: rate === null ? null : { runs: rate.runs, per_s: rate.ms / 1_000 },
    ...{ slots, max_slots: limits.slots, today_usd: toUsd(todayMicroUsd) },
    per_day_usd: perDayMicroUsd === null ? null : toUsd(perDayMicroUsd),
    ...{ waiting, waiting_runs: waiters },
    cooldown:
      cooldown === null ? null : { until: cooldown.until.toISOString(), message: cooldown.message },
  };
}

export function scheduleJson(schedule: FleetSchedule): ScheduleJson {
  const { name, cron, zone: time_zone, paused, workflow, next, lastRun, lastAt } = schedule;
  return {
    ...{ name, cron, time_zone, paused, workflow, next_at: next.toISOString() },
    ...{ last_run: lastRun, last_at: lastAt?.toISOString() ?? null },
    made_at: schedule.createdAt.toISOString(),
  };
}
