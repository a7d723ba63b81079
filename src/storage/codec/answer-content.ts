import * as z from "zod/mini";
import type { QuestionKey, StoredAnswer } from "../../engine/ports/answers.ts";
import { ANSWERED_VIA, type Answer } from "../../machine/move/answer.ts";
import { once } from "./shape.ts";

/** The content of an answer file. */
export function answerContent({ agent, number, answer, by, at }: Answer): string {
  return print({ agent, number, answer, ...by, at: new Date(at).toISOString() });
}

/** The content of the file of a question that timed out. */
export function closedContent({ agent, number }: QuestionKey, now: number): string {
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

/** Null for a file that raymond did not write. */
export function parseAnswer({ agent, number }: QuestionKey, text: string): StoredAnswer | null {
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
