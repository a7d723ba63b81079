import type { TotalsRow } from "../rows/totals-rows.ts";

const MAX_ROWS = 100;

export function TotalsTable({
  name,
  rows,
}: {
  readonly name: string;
  readonly rows: readonly TotalsRow[];
}) {
  if (rows.length === 0) return null;
  return (
    <div class="wide">
      <table class="costs">
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col">Attempts</th>
            <th scope="col">Time</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row) => (
            <tr key={row.name}>
              <td>{row.name}</td>
              <td>{row.attempts}</td>
              <td>{row.took}</td>
              <td>{row.tokens}</td>
              <td>{row.cost}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && <p class="dim">… and {rows.length - MAX_ROWS} more</p>}
    </div>
  );
}
