import type { Clock } from "../ports/clock.ts";
import type { Database } from "../stores/postgres/database.ts";
import { isDraining } from "../stores/postgres/machines.ts";
import type { MachineId } from "../stores/postgres/placement.ts";
import type { RunsInHand } from "./runs-in-hand.ts";

interface Watched {
  readonly database: Database;
  readonly machine: MachineId;
  readonly inHand: RunsInHand;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly until: AbortSignal;
  readonly tell: (line: string) => void;
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
  async look(): Promise<void> {
    const { database, machine, inHand, tell } = this.#of;
    const asked = await isDraining(database, machine).catch(() => this.isDraining);
    const next = !asked ? "in-service" : inHand.all.length === 0 ? "drained" : "draining";
    if (next === this.#state) return;
    const back = `returns to service with: raymond drain ${machine} --end`;
    if (next === "draining") tell(`The machine ${machine} is draining: it claims no more runs.`);
    else if (next === "drained") tell(`The machine ${machine} is drained: it ${back}`);
    else tell(`The machine ${machine} takes runs again.`);
    this.#state = next;
  }

  /** Reads it again and again, until the worker ends. Never rejects. */
  async keep(): Promise<void> {
    const { clock, everyMs, until } = this.#of;
    while (!until.aborted) {
      await clock.sleep(everyMs, until);
      await this.look();
    }
  }
}
