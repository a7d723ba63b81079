import type { StateName } from "../protocol/transition.ts";
import type { Platform } from "./platform.ts";

export const EXTENSIONS = [".md", ".sh", ".bat", ".ps1"] as const;
export type Extension = (typeof EXTENSIONS)[number];

/** The extension that makes a name explicit, lower case only; `null` for a bare name. */
export function extensionOf(name: string): Extension | null {
  return EXTENSIONS.find((extension) => name.endsWith(extension)) ?? null;
}

/** The name without `.md`, `.sh`, `.bat` or `.ps1`: what a transition may call the state. */
export function stemOf(name: string): string {
  return name.slice(0, name.length - (extensionOf(name)?.length ?? 0));
}

/** What scripts end in on this platform; the first one is what its users know best. */
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

/** What states can end in, in words. */
export const EXTENSION_WORDS = ".md, .sh, .bat or .ps1";

/** Whether a state file can be executed on this platform: prompts can everywhere. */
export function runsOn(name: StateName, platform: Platform): boolean {
  const extension = extensionOf(name);
  return extension === ".md" || scriptExtensions(platform).some((each) => each === extension);
}

/**
 * Why a text cannot name a state (docs/protocol.md, "Malformed tags"), as the
 * end of a sentence: `… is empty`; else `null`.
 */
export function stateNameProblem(name: string): string | null {
  if (name.trim() === "") return "is empty";
  if (name === "." || name === "..") return "is a folder";
  if (/[/\\]/.test(name)) return "has a path, and states are named by file name only";
  if (name.includes("\0")) return "has a NUL character";
  return null;
}

/** A name as macOS and Windows compare it: two that fold to the same are one file there. */
export function foldedName(name: string): string {
  return name.normalize("NFD").toUpperCase().toLowerCase();
}
