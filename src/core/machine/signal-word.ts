import type { Platform } from "../workflow/platform.ts";

/** How a signal to raymond is called to people: on Windows, which has none, nobody knows their names. */
export function signalWord(signal: string, platform: Platform): string {
  return (platform === "windows" ? WORDS[signal] : undefined) ?? signal;
}

const WORDS: { readonly [signal: string]: string } = {
  SIGINT: "Ctrl-C",
  SIGTERM: "raymond stop",
  SIGHUP: "the closing of its window",
};
