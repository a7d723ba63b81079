import { useEffect } from "preact/hooks";
import type { SeenMachineJson } from "../../api.ts";
import { type MachineRow, machineRow } from "../machine-rows.ts";

interface Props {
  readonly machines: readonly SeenMachineJson[];
  readonly now: number;
}

/** The machines of a fleet: whether they work, and what they have in hand. */
export function MachinesPage({ machines, now }: Props) {
  useEffect(() => {
    document.title = "Machines · raymond";
  }, []);
  const rows = machines.map((machine) => machineRow(machine, now));
  return (
    <section class="panel">
      <header>
        <h1>Machines</h1>
      </header>
      {rows.length === 0 ? (
        <p class="empty">No machine has been seen yet. Start a worker on one: raymond worker</p>
      ) : (
        <table class="runs machines">
          <thead>
            <tr>
              <th scope="col">Machine</th>
              <th scope="col">State</th>
              <th scope="col">Runs in hand</th>
              <th scope="col">Pools</th>
              <th scope="col">Accounts</th>
              <th scope="col">Version</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ row }: { readonly row: MachineRow }) {
  const { look } = row;
  return (
    <tr>
      <td class="name">
        <strong>{row.id}</strong>
      </td>
      <td>
        <span class={`status ${look.tone}`}>
          <span aria-hidden="true">{look.symbol}</span>
          {look.words}
        </span>
      </td>
      <td class="number">
        {row.slots}
        {row.waiting !== "" && <span class="dim"> · {row.waiting}</span>}
      </td>
      <td>{row.pools}</td>
      <td>{row.accounts}</td>
      <td class="number dim">{row.version}</td>
    </tr>
  );
}
