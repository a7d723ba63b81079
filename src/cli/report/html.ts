import { printable } from "../../log/printable.ts";

/** Safe HTML. */
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

/** Marks trusted HTML, such as a generated picture. */
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
