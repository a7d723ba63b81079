import * as z from "zod";
import { parseDuration } from "../core/duration.ts";

/** How a scripted call can fail (docs/simulation.md, "What it holds"). */
export const FAILURES = ["crash", "outage", "limit", "deterministic"] as const;
export type Failure = (typeof FAILURES)[number];

const duration = z.union([z.string(), z.number()], "a duration such as 2s or 500ms is expected");

/** One item of a state's list, as written; which keys go together is judged afterwards. */
export const draftSchema = z.strictObject({
  reply: z.string("a text is expected; put it in quotes").optional(),
  fail: z.enum(FAILURES, `one of ${FAILURES.join(", ")} is expected`).optional(),
  message: z.string("a text is expected; put it in quotes").optional(),
  cost: z
    .number("an amount in dollars is expected, such as 0.02")
    .min(0, "a cost is not negative")
    .max(1e6, "a cost is at most 1000000 dollars")
    .optional(),
  delay: duration.optional().transform((written, context) => {
    if (written === undefined) return 0;
    const ms = parseDuration(String(written));
    if (ms === null) context.addIssue("a duration such as 2s or 500ms is expected");
    return ms ?? 0;
  }),
  times: z
    .union(
      [z.int().min(1), z.literal("always")],
      'a whole number from 1 on is expected, or "always"',
    )
    .default(1),
  capped: z.boolean("true or false is expected").optional(),
  denied: z
    .array(
      z.strictObject({
        tool: z.string("the name of a tool is expected"),
        input: z.string("a text is expected; put it in quotes").default(""),
      }),
      "a list of { tool, input } is expected",
    )
    .optional(),
});
export type Draft = z.infer<typeof draftSchema>;

/** The keys that an item may have. */
export const KEYS: readonly string[] = Object.keys(draftSchema.shape);
