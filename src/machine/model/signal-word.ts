import type { Platform } from "../../language/workflow/files/platform.ts";

/** The name of a signal in messages. Windows has no signals, so it gets descriptions. */
export function signalWord(signal: string, platform: Platform): string {
  return (platform === "windows" ? WORDS[signal] : undefined) ?? signal;
}

const WORDS: { readonly [signal: string]: string } = {
  SIGINT: "Ctrl-C",
  SIGTERM: "raymond stop",
  SIGHUP: "closing the window",
};
