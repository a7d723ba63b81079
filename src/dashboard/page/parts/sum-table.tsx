import type { SumRow } from "../sum-rows.ts";

/** So many rows: those that matter stand first. */
const MOST = 100;

export function SumTable({
  name,
  rows,
}: {
  readonly name: string;
  readonly rows: readonly SumRow[];
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
          {rows.slice(0, MOST).map((row) => (
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
      {rows.length > MOST && <p class="dim">and {rows.length - MOST} more</p>}
    </div>
  );
}
