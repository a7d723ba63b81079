import { defineConfig } from "vitest/config";

const rooms =
  "{files,engine,executors,backends,stores,scopes,observers,config,process,simulation,testing,runs,cli,launch,dashboard,fleet}";

/** One process for all files of a worker: they share no state that a test may change, and load the code once. */
const together = { isolate: false } as const;

/** Where CI wants the counts. */
const report = process.env["RAYMOND_TEST_REPORT"];

export default defineConfig({
  test: {
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    // Tests wait much for processes: more than the default, which leaves one core of a small machine idle.
    maxWorkers: 3,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          ...together,
          name: "core",
          include: ["tests/core/**/*.test.ts"],
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          ...together,
          name: "shell",
          include: [`tests/${rooms}/**/*.test.ts`],
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["tests/{e2e,workflows}/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts"],
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "chaos",
          include: ["tests/chaos/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts", "tests/chaos/setup.ts"],
          testTimeout: 3_600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "claude",
          include: ["tests/claude/**/*.test.ts"],
          globalSetup: ["tests/claude/setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "windows",
          include: ["tests/windows/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts"],
          testTimeout: 120_000,
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**"],
      thresholds: { "src/core/**": { statements: 100, branches: 95 } },
    },
  },
});
