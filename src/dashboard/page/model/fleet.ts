import { distanceOf, localMoment } from "../../../console/local-time.ts";
import type { AccountJson, ScheduleJson } from "../../../inspect/json/shapes.ts";
import { counted } from "../../../language/basics/counted.ts";
import type { ListedMachineJson, QueueJson } from "../../api.ts";
import type { Badge } from "./badge.ts";

export function machineBadge(machine: ListedMachineJson, now: number): Badge {
  const { state, silent_since: since, client_problems: problems } = machine;
  switch (state) {
    case "gone": {
      const ago = since === null ? "" : `, last heartbeat ${distanceOf(Date.parse(since), now)}`;
      return { symbol: "✕", words: `gone${ago}`, tone: "bad" };
    }
    case "draining":
    case "drained":
      return { symbol: "‖", words: state, tone: "warn" };
    case "working":
      return problems === undefined
        ? { symbol: "●", words: "working", tone: "live" }
        : { symbol: "●", words: "working, client unhealthy", tone: "warn" };
  }
}

export function machineCount(machines: readonly ListedMachineJson[]): string {
  const gone = machines.filter(({ lives }) => !lives).length;
  const all = counted(machines.length, "machine");
  return gone === 0 ? all : `${all}, ${String(gone)} gone`;
}

export function queueBadge({ workers, later, runs }: QueueJson): Badge {
  if (workers === "none") return { symbol: "✕", words: "no worker", tone: "bad" };
  if (workers === "drained") return { symbol: "‖", words: "all machines drained", tone: "warn" };
  return later === runs
    ? { symbol: "◔", words: "scheduled", tone: "plain" }
    : { symbol: "○", words: "waiting for a free slot", tone: "live" };
}

/** `blocked`: why the account starts no prompts; empty if it does. */
export function accountBadge({ machines, cooldown }: AccountJson, blocked: string): Badge {
  if (machines.length === 0) return { symbol: "✕", words: "no worker", tone: "bad" };
  if (cooldown !== null) return { symbol: "◔", words: "cooling down", tone: "warn" };
  if (blocked !== "") return { symbol: "$", words: "daily budget used up", tone: "warn" };
  return { symbol: "●", words: `on ${counted(machines.length, "machine")}`, tone: "live" };
}

export function scheduleBadge({ paused, next_at }: ScheduleJson, now: number): Badge {
  if (paused) return { symbol: "‖", words: "paused", tone: "warn" };
  const next = Date.parse(next_at);
  const when = `${localMoment(next, now)}, ${distanceOf(next, now)}`;
  if (now - next < LATE_MS) return { symbol: "◔", words: when, tone: "plain" };
  return { symbol: "✕", words: `overdue since ${when}: no worker has started it`, tone: "bad" };
}

/** A live worker starts a due run within seconds. */
const LATE_MS = 60_000;
