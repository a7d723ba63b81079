import { readFile } from "node:fs/promises";
import path from "node:path";
import type { InspectedConfig } from "../config/load.ts";
import { printValue } from "../config/option.ts";
import { allOptions } from "../config/settings.ts";

/**
 * Records the configuration file. The result describes how its settings differ later; null: they do
 * not.
 */
export async function watchConfig(root: string): Promise<() => Promise<string | null>> {
  const file = path.join(root, "config.toml");
  const before = await textOf(file);
  return async () => {
    const after = await textOf(file);
    if (after === before) return null;
    const { inspectText } = await import("../config/load.ts");
    const changes = changesBetween(inspectText(file, before ?? ""), inspectText(file, after ?? ""));
    if (changes.length === 0) return null;
    return `${file} was changed during the run, and the next run uses it: ${changes.join("; ")}. Check that the change is intended.`;
  };
}

function changesBetween(before: InspectedConfig, after: InspectedConfig): readonly string[] {
  const changed = allOptions().flatMap((option) => {
    const { field, key } = option;
    const [old, now] = [before, after].map(({ settings }) =>
      printValue(option, settings[field] === undefined ? option.default : settings[field]),
    );
    return old === now ? [] : [`${key} = ${now ?? ""} (was ${old ?? ""})`];
  });
  return [...changed, ...after.errors.map(({ message }) => message)];
}

/** Null without the file, or where it cannot be read: a run that needs it reports why. */
async function textOf(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch(() => null);
}
