import type { Element } from "./element.ts";
import { decodeEntities } from "./entities.ts";
import { excerpt } from "./excerpt.ts";

/**
 * Reads the text between the name of an opening tag and its `>` (docs/protocol.md, "Grammar").
 * `problem` describes a syntax error as a clause; `attributes` has those before the error, with
 * entities decoded.
 */
export function readAttributeList(raw: string): Pick<Element, "attributes" | "problem"> {
  const attributes: [string, string][] = [];
  let at = skipBlanks(raw, 0);
  while (at < raw.length) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(raw);
    if (match === null) return { attributes, problem: problemOf(raw.slice(at, at + 200)) };
    const [whole, name = "", double, single] = match;
    attributes.push([name, decodeEntities(double ?? single ?? "")]);
    const next = skipBlanks(raw, at + whole.length);
    if (next === at + whole.length && next < raw.length) {
      const problem = `expected a space after ${excerpt(name, 40)}="…". Does the value contain a quote? Write it as &quot;`;
      return { attributes, problem };
    }
    at = next;
  }
  return { attributes };
}

function problemOf(rest: string): string {
  const [name = ""] = /^[^ \t\r\n\f='"/]*/.exec(rest) ?? [];
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    const [piece = ""] = /^[^ \t\r\n\f]*/.exec(rest) ?? [];
    return `"${excerpt(name === "" ? piece : name, 40)}" is not a valid attribute name`;
  }
  if (!/^[ \t\r\n\f]*=/.test(rest.slice(name.length))) {
    return `the attribute ${excerpt(name, 40)} has no value`;
  }
  const value = rest.slice(name.length).replace(/^[ \t\r\n\f]*=[ \t\r\n\f]*/, "");
  const what = /^[\u2018-\u201f\u00ab]/.test(value) ? "in straight quotes" : "in quotes";
  return `the value of the attribute ${excerpt(name, 40)} is not ${what}`;
}

function skipBlanks(raw: string, from: number): number {
  BLANKS.lastIndex = from;
  return from + (BLANKS.exec(raw)?.[0].length ?? 0);
}

const BLANKS = /[ \t\r\n\f]*/y;
const ATTRIBUTE = /([A-Za-z_][A-Za-z0-9_]*)[ \t\r\n\f]*=[ \t\r\n\f]*(?:"([^"]*)"|'([^']*)')/y;
