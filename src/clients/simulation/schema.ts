import * as z from "zod/mini";
import { parseDuration } from "../../language/basics/duration.ts";
import { FAILURES } from "./scenario.ts";

const EXPECTED_DURATION = "a duration such as 2s or 500ms is expected";
const duration = z.union([z.string(), z.number()], EXPECTED_DURATION);

export const text = z.string("a text is expected; put it in quotes");

/** The duration of a call, and the number of calls of an item. */
export const TIMED = {
  delay: z.pipe(
    z.optional(duration),
    z.transform((written, context) => {
      if (written === undefined) return 0;
      const ms = parseDuration(String(written));
      if (ms === null)
        context.issues.push({ code: "custom", message: EXPECTED_DURATION, input: written });
      return ms ?? 0;
    }),
  ),
  times: z._default(
    z.union(
      [z.int().check(z.minimum(1)), z.literal("always")],
      'a whole number from 1 on is expected, or "always"',
    ),
    1,
  ),
};

/** One item of a state's list. The combination of keys is checked later. */
export const draftSchema = z.strictObject({
  reply: z.optional(text),
  fail: z.optional(z.enum(FAILURES, `one of ${FAILURES.join(", ")} is expected`)),
  message: z.optional(text),
  cost: z.optional(
    z
      .number("an amount in dollars is expected, such as 0.02")
      .check(
        z.minimum(0, "a cost is not negative"),
        z.maximum(1e6, "a cost is at most 1000000 dollars"),
      ),
  ),
  ...TIMED,
  answer: z.optional(text),
  context: z.optional(z.int("a number of tokens is expected").check(z.minimum(0), z.maximum(1e9))),
  capped: z.optional(z.boolean("true or false is expected")),
  denied: z.optional(
    z.array(
      z.strictObject({
        tool: z.string("the name of a tool is expected"),
        input: z._default(text, ""),
      }),
      "a list of { tool, input } is expected",
    ),
  ),
});
export type Draft = z.infer<typeof draftSchema>;

/** One item of a script's list: the answer to a question that the script asks. */
export const answerSchema = z.strictObject({ answer: text, times: TIMED.times });

export const KEYS: readonly string[] = Object.keys(draftSchema.shape);
