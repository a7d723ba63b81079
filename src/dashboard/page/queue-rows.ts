import { counted } from "../../core/counted.ts";
import { printable } from "../../observers/printable.ts";
import type { QueueJson } from "../api.ts";
import type { StatusLook } from "./status-look.ts";

/** A queue as the page shows it: all of it text that is safe to show. */
export interface QueueRow {
  readonly name: string;
  /** Of an account, which; else empty. */
  readonly account: string;
  readonly look: StatusLook;
  readonly runs: string;
  /** How many of them begin at a moment of their own; empty where none does, or all do. */
  readonly later: string;
  /** Id of the run that was submitted first, as it is. */
  readonly first: string;
}

export function queueRow({ machine, pool, account, ...queue }: QueueJson): QueueRow {
  const { runs, later, first, takers } = queue;
  return {
    name: printable(machine === null ? `pool ${pool}` : `machine ${machine}`),
    account: account === null ? "" : printable(`account ${account}`),
    look: LOOKS[takers === "some" && later === runs ? "later" : takers],
    runs: counted(runs, "run"),
    later: later === 0 || later === runs ? "" : `${String(later)} of them later`,
    first,
  };
}

const LOOKS: Readonly<Record<QueueJson["takers"] | "later", StatusLook>> = {
  some: { symbol: "○", words: "wait their turn", tone: "live" },
  later: { symbol: "◔", words: "begin later", tone: "plain" },
  drained: { symbol: "‖", words: "all machines drained", tone: "warn" },
  none: { symbol: "✕", words: "no worker for them", tone: "bad" },
};
