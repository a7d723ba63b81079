import { counted } from "../../core/counted.ts";
import type { QueuedRuns } from "../../stores/postgres/queued-runs.ts";
import { type Check, ok, warning } from "./check.ts";

/** Runs that wait for somebody who is not there: a finding for each kind of them. */
export function checkQueues(stranded: readonly QueuedRuns[]): readonly Check[] {
  if (stranded.length === 0) return [ok("queues", "no run waits for somebody who is not there")];
  return stranded.map((each) => {
    const [what, hint] = words(each);
    const runs =
      each.runs === 1 ? `The run ${each.first} waits` : `${counted(each.runs, "run")} wait`;
    return warning("queues", `${runs} for ${what}.`, hint);
  });
}

function words({
  machine,
  pool,
  account,
  drained,
  lacksClient,
}: QueuedRuns): readonly [string, string] {
  const having = account === null ? "" : ` that has the account ${account}`;
  if (lacksClient) {
    const where = machine === null ? `a worker of the pool ${pool}` : `the machine ${machine}`;
    return [
      `${where}${having} with a working client`,
      "See what is wrong with the clients: raymond machines",
    ];
  }
  if (machine !== null && drained) {
    return [
      `the machine ${machine}, which is drained`,
      `Let it take runs again: raymond drain ${machine} --end`,
    ];
  }
  if (machine !== null) {
    return [
      `the machine ${machine}, whose worker is not there${account === null ? "" : `, or lacks the account ${account}`}`,
      `Start it there: raymond worker --machine ${machine}. What is not only there goes elsewhere by raymond move RUN --to MACHINE.`,
    ];
  }
  const worker = `a worker of the pool ${pool}${having}`;
  if (drained)
    return [
      `${worker}: those that live are drained`,
      "Let one take runs again: raymond drain MACHINE --end",
    ];
  if (account === null) return [worker, `Start one: raymond worker --pool ${pool}`];
  return [
    worker,
    `Write [accounts.${account}] into the accounts.toml of one of its machines, and start its worker anew (docs/fleet.md, "Accounts").`,
  ];
}
