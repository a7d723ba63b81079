import { commandLine } from "./command-line.ts";

await commandLine({
  now: () => Date.now(),
  system: async () => (await import("./system.ts")).thisSystem,
});
