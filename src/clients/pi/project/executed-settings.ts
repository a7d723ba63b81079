import { isJsonObject } from "../../../language/basics/json-object.ts";

/** Settings that only change models, the display and files of pi. Keys of newer versions need trust. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["defaultProvider", "defaultModel", "defaultThinkingLevel", "modelThinkingLevels"],
  ...["thinkingBudgets", "hideThinkingBlock", "showCacheMissNotices", "enabledModels"],
  ...["theme", "quietStartup", "collapseChangelog", "compaction", "branchSummary", "retry"],
  ...["warnings", "markdown", "steeringMode", "followUpMode", "defaultTools"],
]);

/** What `.pi/settings.json` makes pi execute, such as extensions, packages and the prefix of commands. */
export function executedBySettings(text: string): readonly string[] {
  let settings: unknown;
  try {
    settings = text.trim() === "" ? {} : JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    settings = null;
  }
  if (!isJsonObject(settings)) return ["its content is invalid, so its effect is unknown"];
  return Object.entries(settings)
    .filter(([key]) => !HARMLESS.has(key))
    .map(([key, value]) => `${key}: ${shown(value)}`);
}

/** The end of a long value could be its important part, so the length is stated. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH)}… (${String(text.length - MAX_LENGTH)} more characters)`;
}

const MAX_LENGTH = 2_000;
