import type { ComponentChildren } from "preact";
import { useHeadingFocus } from "../hooks/browser.ts";

interface TableProps {
  readonly class: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

export function Table({ class: look, columns, children }: TableProps) {
  return (
    <table class={look}>
      <thead>
        <tr>
          {columns.map((column, at) => (
            <th key={at} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

const MAX_ROWS = 100;

/** A table of figures. The first row has the names of the columns, the first column those of the rows. */
export function FigureTable({
  rows: [columns = [], ...rows],
}: {
  readonly rows: readonly (readonly string[])[];
}) {
  if (rows.length === 0) return null;
  return (
    <div class="wide">
      <Table class="costs" columns={columns}>
        {rows.slice(0, MAX_ROWS).map((cells) => (
          <tr key={cells[0]}>
            {columns.map((_, at) => (
              <td key={at}>{cells[at]}</td>
            ))}
          </tr>
        ))}
      </Table>
      {rows.length > MAX_ROWS && <p class="dim">… and {rows.length - MAX_ROWS} more</p>}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly level: 1 | 2;
  readonly columns: readonly string[];
  /** Text for an empty table. */
  readonly empty: string;
  readonly rows: readonly ComponentChildren[];
}

/** A table with a heading. On phones, rows become cards. */
export function TablePanel({ title, level, columns, empty, rows }: PanelProps) {
  return (
    <section class="panel" aria-label={title}>
      <header>{level === 1 ? <PageHeading title={title} /> : <h2>{title}</h2>}</header>
      {rows.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <Table class="runs labelled" columns={columns}>
          {rows}
        </Table>
      )}
    </section>
  );
}

/** Receives the focus when the user navigates to the page. */
export function PageHeading({ title }: { readonly title: string }) {
  const heading = useHeadingFocus();
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}
