import { type Check, ok, warning } from "../inspect/check.ts";
import type { FleetQueue } from "../inspect/fleet-board.ts";
import { counted } from "../language/basics/counted.ts";

export function checkQueues(stranded: readonly FleetQueue[]): readonly Check[] {
  if (stranded.length === 0) return [ok("queues", "no run waits for an absent worker")];
  return stranded.map((each) => {
    const [what, hint] = words(each);
    const runs = each.runs === 1 ? `Run ${each.first} waits` : `${counted(each.runs, "run")} wait`;
    return warning("queues", `${runs} for ${what}.`, hint);
  });
}

function words({
  machine,
  pool,
  account,
  drained,
  lacksClient,
}: FleetQueue): readonly [string, string] {
  const having = account === null ? "" : ` with the account ${account}`;
  if (lacksClient) {
    const where = machine === null ? `a worker of the pool ${pool}` : `the machine ${machine}`;
    return [
      `${where}${having} with a working client`,
      "Show the problems with: raymond fleet workers",
    ];
  }
  if (machine !== null && drained) {
    return [
      `the machine ${machine}, which is drained`,
      `Return it to service: raymond fleet drain ${machine} --end`,
    ];
  }
  if (machine !== null) {
    return [
      `the machine ${machine}, which has no running worker${account === null ? "" : `, or lacks the account ${account}`}`,
      `Start it there: raymond worker --machine ${machine}. To move a run: raymond fleet move RUN --to MACHINE`,
    ];
  }
  const worker = `a worker of the pool ${pool}${having}`;
  if (drained)
    return [
      `${worker}: all running workers are drained`,
      "Return one to service: raymond fleet drain MACHINE --end",
    ];
  if (account === null) return [worker, `Start one: raymond worker --pool ${pool}`];
  return [
    worker,
    `Add [accounts.${account}] to accounts.toml on one of its machines, then restart the worker (docs/fleet.md, "Accounts").`,
  ];
}
