import { VERSION } from "./parse/version.ts";

// Common in scripts that check an installation, so it loads nothing else.
if (process.argv.length === 3 && process.argv[2] === "--version") {
  // A closed pipe is no failure.
  process.stdout.on("error", () => undefined);
  process.stdout.write(`${VERSION}\n`);
} else {
  // No top-level await: the package is CommonJS. `commandLine` ends the process.
  void import("./parse/command-line.ts").then(({ commandLine }) =>
    commandLine({
      now: () => Date.now(),
      system: async () => (await import("../wire/system/system.ts")).thisSystem,
    }),
  );
}
