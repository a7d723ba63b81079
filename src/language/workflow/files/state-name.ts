import type { StateName } from "../../protocol/transition.ts";
import type { Platform } from "./platform.ts";

export const EXTENSIONS = [".md", ".sh", ".bat", ".ps1"] as const;
export type Extension = (typeof EXTENSIONS)[number];

/** The extension of an explicit name, lowercase only; null for a bare name. */
export function extensionOf(name: string): Extension | null {
  return EXTENSIONS.find((extension) => name.endsWith(extension)) ?? null;
}

/** The name without its extension. */
export function stemOf(name: string): string {
  return name.slice(0, name.length - (extensionOf(name)?.length ?? 0));
}

/** The extensions of scripts on this platform, the most common one first. */
export function scriptExtensions(
  platform: Platform,
): readonly [Exclude<Extension, ".md">, ...Exclude<Extension, ".md">[]] {
  switch (platform) {
    case "unix":
      return [".sh"];
    case "windows":
      return [".bat", ".ps1"];
  }
}

export const EXTENSION_WORDS = ".md, .sh, .bat or .ps1";

/** Whether a state can run on this platform. Prompts run everywhere. */
export function runsOn(name: StateName, platform: Platform): boolean {
  const extension = extensionOf(name);
  return extension === ".md" || scriptExtensions(platform).some((each) => each === extension);
}

/** Why a text cannot name a state (docs/protocol.md, "Malformed tags"), as the end of a sentence; else null. */
export function stateNameProblem(name: string): string | null {
  if (name.trim() === "") return "is empty";
  if (name === "." || name === "..") return "is a folder";
  if (/[/\\]/.test(name)) return "contains a path: use the file name only";
  if (name.includes("\0")) return "contains a NUL character";
  return null;
}

/** A name as case-insensitive file systems (macOS, Windows) compare it. */
export function foldedName(name: string): string {
  return name.normalize("NFD").toUpperCase().toLowerCase();
}
