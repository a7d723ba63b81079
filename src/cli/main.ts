import { commandLine } from "./parse/command-line.ts";

// No top-level await: the package is CommonJS. `commandLine` ends the process.
void commandLine({
  now: () => Date.now(),
  system: async () => (await import("../wire/system/system.ts")).thisSystem,
});
