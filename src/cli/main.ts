import { commandLine } from "./command-line.ts";

// Not awaited at the top level, which what ships (CommonJS) cannot: it ends the process by itself.
void commandLine({
  now: () => Date.now(),
  system: async () => (await import("../runs/wire/system.ts")).thisSystem,
});
