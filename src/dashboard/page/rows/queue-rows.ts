import { counted } from "../../../language/basics/counted.ts";
import { printable } from "../../../log/printable.ts";
import type { QueueJson } from "../../api.ts";
import type { StatusLook } from "./status-look.ts";

/** A queue on the page. All texts are safe to display. */
export interface QueueRow {
  readonly name: string;
  /** Empty if the runs need no account. */
  readonly account: string;
  readonly look: StatusLook;
  readonly runs: string;
  /** The number of scheduled runs; empty if none or all of them are. */
  readonly later: string;
  /** Id of the run that was submitted first, unescaped. */
  readonly first: string;
}

export function queueRow({ machine, pool, account, ...queue }: QueueJson): QueueRow {
  const { runs, later, first, workers } = queue;
  return {
    name: printable(machine === null ? `pool ${pool}` : `machine ${machine}`),
    account: account === null ? "" : printable(`account ${account}`),
    look: LOOKS[workers === "available" && later === runs ? "later" : workers],
    runs: counted(runs, "run"),
    later: later === 0 || later === runs ? "" : `${String(later)} scheduled`,
    first,
  };
}

const LOOKS: Readonly<Record<QueueJson["workers"] | "later", StatusLook>> = {
  available: { symbol: "○", words: "waiting for a free slot", tone: "live" },
  later: { symbol: "◔", words: "scheduled", tone: "plain" },
  drained: { symbol: "‖", words: "all machines drained", tone: "warn" },
  none: { symbol: "✕", words: "no worker", tone: "bad" },
};
