import { commandLine } from "./parse/command-line.ts";

// Not awaited at the top level, which what ships (CommonJS) cannot: it ends the process by itself.
void commandLine({
  now: () => Date.now(),
  system: async () => (await import("../wire/system/system.ts")).thisSystem,
});
