import { printable } from "../../log/printable.ts";

/** A piece of a page that is HTML already. */
export interface Html {
  readonly html: string;
}

/** What a page is made of: text stays text, whatever stands in it. */
export type Content = string | number | Html | null | readonly (Html | null)[];

/**
 * HTML from a template. Law: of what is put in only {@link Html} forms anything; a text has
 * everything escaped that means something in an element or in an attribute in double quotes,
 * and everything made visible that would hide or turn what stands beside it.
 */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { html: String.raw({ raw: strings }, ...contents.map(textOf)) };
}

/** HTML that somebody else has made of what is safe, such as a picture. */
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
