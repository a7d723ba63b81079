import { readSettings, shown, UNREADABLE } from "../../common/executing-file.ts";

/** Settings that only change models, the display and files of pi. Keys of newer versions need trust. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["defaultProvider", "defaultModel", "defaultThinkingLevel", "modelThinkingLevels"],
  ...["thinkingBudgets", "hideThinkingBlock", "showCacheMissNotices", "enabledModels"],
  ...["theme", "quietStartup", "collapseChangelog", "compaction", "branchSummary", "retry"],
  ...["warnings", "markdown", "steeringMode", "followUpMode", "defaultTools"],
]);

/** What `.pi/settings.json` makes pi execute, such as extensions, packages and the prefix of commands. */
export function executedBySettings(text: string): readonly string[] {
  const settings = readSettings(text);
  if (settings === null) return [UNREADABLE];
  return Object.entries(settings)
    .filter(([key]) => !HARMLESS.has(key))
    .map(([key, value]) => `${key}: ${shown(value)}`);
}
