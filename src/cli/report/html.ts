import { printable } from "../../log/printable.ts";

export interface Html {
  readonly html: string;
}

/** Content of a template. Strings are escaped. */
export type Content = string | number | Html | null | readonly (Html | null)[];

/**
 * HTML from a template. Strings are escaped for elements and for attributes in double quotes, and their control and
 * bidirectional characters are made visible.
 */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { html: String.raw({ raw: strings }, ...contents.map(textOf)) };
}

export function trusted(text: string): Html {
  return { html: text };
}

function textOf(content: Content): string {
  if (content === null) return "";
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escaped(content);
  if ("html" in content) return content.html;
  return content.map(textOf).join("");
}

function escaped(text: string): string {
  return text
    .split(/\r?\n/)
    .map(printable)
    .join("\n")
    .replace(/[&<>"']/g, entity);
}

function entity(character: string): string {
  return `&#${String(character.charCodeAt(0))};`;
}

interface Row {
  readonly cells: readonly Content[];
  readonly look?: string;
}

/** A table that scrolls if it is too wide. `columns`: titles, with the class of the cells after a colon. `total`: last row. */
export function table(
  columns: readonly string[],
  rows: readonly (readonly Content[] | Row)[],
  total: readonly Content[] | null = null,
): Html {
  const parts = columns.map((column) => column.split(":"));
  const heads = parts.map(
    ([title = "", look]) => html`<th${classOf(look === "right" ? look : "")}>${title}</th>`,
  );
  const row = ({ cells, look = "" }: Row) => html`<tr${classOf(look)}>${cells.map(
    (cell, at) => html`<td${classOf(parts[at]?.[1] ?? "")}>${cell}</td>`,
  )}</tr>
`;
  return html`
<div class="wide"><table><thead><tr>${heads}</tr></thead>
<tbody>${rows.map((each) => row("cells" in each ? each : { cells: each }))}</tbody>
${total === null ? null : html`<tfoot>${row({ cells: total })}</tfoot>`}</table></div>`;
}

export function facts(rows: readonly (readonly [name: string, value: Content])[]): Html {
  const lines = rows.map(([name, value]) => html`<tr><th>${name}</th><td>${value}</td></tr>`);
  return html`<div class="wide"><table><tbody>${lines}</tbody></table></div>`;
}

function classOf(name: string): Html | null {
  return name === "" ? null : html` class="${name}"`;
}

/** Cuts a text to `most` characters, and says how many were cut. */
export function cutWords(text: string, most = 2_000): string {
  if (text.length <= most) return text;
  // Does not split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)} … (${String(text.length - end)} more characters)`;
}
