import type { Clock } from "../../engine/ports/clock.ts";
import { isDraining } from "../lease/machines.ts";
import type { Database } from "../store/database.ts";
import type { MachineId } from "../store/rows/placement.ts";
import type { ActiveRuns } from "./runs/active-runs.ts";

interface Watched {
  readonly database: Database;
  readonly machine: MachineId;
  readonly activeRuns: ActiveRuns;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly until: AbortSignal;
  readonly log: (line: string) => void;
}

/** Whether the machine of a worker is drained. A worker on a drained machine lives on, and claims nothing. */
export class DrainWatch {
  readonly #of: Watched;
  #state: "in-service" | "draining" | "drained" = "in-service";

  constructor(of: Watched) {
    this.#of = of;
  }

  /** It is to claim nothing. */
  get isDraining(): boolean {
    return this.#state !== "in-service";
  }

  /** Reads it once. A database that is away changes nothing. */
  async check(): Promise<void> {
    const { database, machine, activeRuns, log } = this.#of;
    const asked = await isDraining(database, machine).catch(() => this.isDraining);
    const next = !asked ? "in-service" : activeRuns.all.length === 0 ? "drained" : "draining";
    if (next === this.#state) return;
    if (next === "draining") log(`Machine ${machine} is draining: it claims no more runs.`);
    else if (next === "drained")
      log(`Machine ${machine} is drained. To return it to service: raymond drain ${machine} --end`);
    else log(`Machine ${machine} claims runs again.`);
    this.#state = next;
  }

  /** Reads it again and again, until the worker ends. Never rejects. */
  async run(): Promise<void> {
    const { clock, everyMs, until } = this.#of;
    while (!until.aborted) {
      await clock.sleep(everyMs, until);
      await this.check();
    }
  }
}
