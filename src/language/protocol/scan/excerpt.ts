import type { Element } from "./element.ts";
import { encodeEntities } from "./entities.ts";

/** An element on one line, short enough for a message: `<goto>A</goto>`. */
export function excerptOf({ tag, attributes, content }: Element): string {
  const list = attributes
    .map(([name, value]) => ` ${name}="${encodeEntities(excerpt(value, 20))}"`)
    .join("");
  return `<${tag}${excerpt(list, 40)}>${excerpt(content.trim(), 40)}</${tag}>`;
}

/** A text on one line, without control characters, of at most `limit` characters. */
export function excerpt(text: string, limit = 60): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  const line = text.slice(0, limit * 4).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
  const characters = Array.from(line);
  if (characters.length <= limit && text.length <= limit * 4) return line;
  return `${characters.slice(0, limit - 1).join("")}…`;
}

/** Fast path: the first use of a Unicode property class costs 0.2 ms. */
const PLAIN = /^[\x20-\x7e]*$/;
