import * as z from "zod/mini";
import { ANSWERED_VIA, type Answer } from "../core/machine/answer.ts";
import type { Asked, Given } from "../ports/answers.ts";
import { once } from "./shape.ts";

/** An answer as it is kept. */
export function answerContent({ agent, number, answer, by, at }: Answer): string {
  return print({ agent, number, answer, ...by, at: new Date(at).toISOString() });
}

/** What is kept in the place of an answer whose time is over. */
export function closedContent({ agent, number }: Asked, now: number): string {
  return print({ agent, number, closed: true, at: new Date(now).toISOString() });
}

function print(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

const schema = once(() =>
  z.union([
    z.object({ closed: z.literal(true), at: z.iso.datetime() }),
    z.object({
      answer: z.string(),
      user: z.nullable(z.string()),
      host: z.nullable(z.string()),
      via: z.enum(ANSWERED_VIA),
      at: z.iso.datetime(),
    }),
  ]),
);

/** What was kept of a question; null for what is none: somebody has made it by hand. */
export function parseAnswer({ agent, number }: Asked, text: string): Given | null {
  const read = schema().safeParse(jsonOf(text));
  if (!read.success) return null;
  const at = Date.parse(read.data.at);
  if ("closed" in read.data) return { kind: "closed", at };
  const { answer, user, host, via } = read.data;
  return { kind: "answer", agent, number, answer, by: { user, host, via }, at };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
