import { appendFile } from "node:fs/promises";
import { z } from "zod";

const figureSchema = z.object({
  /** What was done: `crash points × scenarios`, `kills`, `inputs fuzzed` … */
  what: z.string(),
  count: z.number(),
  /** One line for each time that a promise was not kept. */
  failures: z.array(z.string()),
});

/** What one proof has tried, and what did not hold. */
export type Figure = z.infer<typeof figureSchema>;

/** Where `npm run chaos` gathers the figures of all proofs. */
export const FIGURES_FILE = "RAYMOND_CHAOS_FIGURES";

/** Hands a figure to `npm run chaos`; elsewhere nothing happens. Call it before the figure is judged. */
export async function tell(figure: Figure): Promise<void> {
  const file = process.env[FIGURES_FILE];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(figure)}\n`);
}

/** Reads what {@link tell} has written. */
export function parseFigures(text: string): readonly Figure[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => figureSchema.parse(JSON.parse(line)));
}

/** How much a proof shall try: the variable's number, or what is enough for each commit. */
export function size(variable: string, small: number): number {
  const given = process.env[variable];
  if (given === undefined || given === "") return small;
  const wanted = Number(given);
  if (!Number.isInteger(wanted) || wanted <= 0) {
    throw new Error(`${variable} must be a number above 0, and is ${given}.`);
  }
  return wanted;
}
