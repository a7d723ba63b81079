import { appendFile } from "node:fs/promises";
import { z } from "zod";

const figureSchema = z.object({
  /** Name, such as `crash points × scenarios`, `kills`, `fuzz inputs`. */
  what: z.string(),
  count: z.number(),
  /** One line per violated guarantee. */
  failures: z.array(z.string()),
});

/** Number of trials of a test, and its failures. */
export type Figure = z.infer<typeof figureSchema>;

/** Environment variable: file in which `npm run chaos` collects all figures. */
export const FIGURES_FILE = "RAYMOND_CHAOS_FIGURES";

/** Reports a figure to `npm run chaos`, if it is running. Call it before assertions on the figure. */
export async function reportFigure(figure: Figure): Promise<void> {
  const file = process.env[FIGURES_FILE];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(figure)}\n`);
}

/** Parses the output of {@link reportFigure}. */
export function parseFigures(text: string): readonly Figure[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => figureSchema.parse(JSON.parse(line)));
}

/** The number of trials: from the environment variable, or the default for normal test runs. */
export function size(variable: string, small: number): number {
  const given = process.env[variable];
  if (given === undefined || given === "") return small;
  const wanted = Number(given);
  if (!Number.isInteger(wanted) || wanted <= 0) {
    throw new Error(`${variable} must be a number above 0, and is ${given}.`);
  }
  return wanted;
}
