import type { ComponentChildren } from "preact";
import { useHeadingFocus } from "../navigation.ts";

interface Props {
  readonly title: string;
  /** Heading level. */
  readonly level: 1 | 2;
  readonly columns: readonly string[];
  /** Text for an empty table. */
  readonly empty: string;
  readonly rows: readonly ComponentChildren[];
}

/** A table with a heading. On phones, rows become cards. */
export function TablePanel({ title, level, columns, empty, rows }: Props) {
  return (
    <section class="panel" aria-label={title}>
      <header>{level === 1 ? <PageHeading title={title} /> : <h2>{title}</h2>}</header>
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

function PageHeading({ title }: { readonly title: string }) {
  const heading = useHeadingFocus();
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}
