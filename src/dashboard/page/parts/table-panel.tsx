import type { ComponentChildren } from "preact";

interface Props {
  readonly title: string;
  /** Of the page, or of one of its parts. */
  readonly level: 1 | 2;
  readonly columns: readonly string[];
  /** What is said in place of a table without rows. */
  readonly empty: string;
  readonly rows: readonly ComponentChildren[];
}

/** A table with its heading, which becomes cards on a phone. */
export function TablePanel({ title, level, columns, empty, rows }: Props) {
  const Heading = `h${String(level)}` as "h1" | "h2";
  return (
    <section class="panel" aria-label={title}>
      <header>
        <Heading>{title}</Heading>
      </header>
      {rows.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <table class="runs labelled">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows}</tbody>
        </table>
      )}
    </section>
  );
}
