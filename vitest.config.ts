import { configDefaults, defineConfig } from "vitest/config";

const shell =
  "{author,backends,bench,cli,clients,config,console,dashboard,doctor,engine,files,inspect,launch,log,process,run,scopes,storage,wire,workspaces}";

/** Everything that needs PostgreSQL, except end-to-end and chaos tests. */
const fleet = [
  "tests/fleet/**/*.test.ts",
  "tests/cli/commands/fleet/**/*.test.ts",
  "tests/{cli/parse,dashboard/server,doctor}/**/fleet*.test.ts",
];

/** Unit tests that start many processes. */
const processes = [
  "tests/process/**/*.test.ts",
  "tests/workspaces/**/*.test.ts",
  "tests/engine/executors/**/*.test.ts",
  "tests/storage/lock/**/*.test.ts",
  "tests/author/testing/**/*.test.ts",
  "tests/clients/claude/claude.test.ts",
  "tests/cli/{commands/author/merge,parse/completion}.test.ts",
  "tests/run/rerun.test.ts",
];

/** Tests that start even more: fleets with workers, containers, kills around each call of git, many worktrees. */
const slow = [
  "tests/workspaces/agent-worktrees.test.ts",
  "tests/e2e/fleet/**/*.test.ts",
  "tests/e2e/{container,github-action,snapshots,workspace-crashes,worktrees,agent-worktrees}.test.ts",
  "tests/e2e/runs/{commands,run-names}.test.ts",
  "tests/e2e/failures/client-failures.test.ts",
  "tests/fleet/{admin/roles,git/clones,lease/claimed-run,store/batched-saves,store/durability}.test.ts",
];

/**
 * In-process tests: the files of a worker share one process and load the code once. A test restores what it
 * changes there.
 */
const inProcess = {
  isolate: false,
  setupFiles: ["tests/support/property-runs.ts", "tests/support/own-home.ts"],
};

/** Short enough to report a hang early. A machine of CI may be slow, and may try all cases of property tests. */
const CORE_MS = process.env["CI"] ? 60_000 : 10_000;
const PROCESS_MS = 60_000;
/** Tests with several raymond processes, and programs that raymond does not control (real client, wine). */
const SLOW_MS = 120_000;

/** The file in which CI collects the counts. */
const report = process.env["RAYMOND_TEST_REPORT"];

export default defineConfig({
  test: {
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    // Tests spend much time waiting for processes. The default leaves one core of a small machine idle.
    maxWorkers: 3,
    // Compiled files, for the next projects and the next time.
    experimental: { fsModuleCache: true },
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          ...inProcess,
          name: "core",
          include: ["tests/{language,machine,analysis}/**/*.test.ts"],
          testTimeout: CORE_MS,
        },
      },
      {
        extends: true,
        test: {
          ...inProcess,
          name: "shell",
          include: [`tests/${shell}/**/*.test.ts`],
          exclude: [...configDefaults.exclude, ...fleet, ...processes],
          testTimeout: PROCESS_MS,
        },
      },
      {
        extends: true,
        test: {
          ...inProcess,
          name: "processes",
          include: processes,
          exclude: [...configDefaults.exclude, ...slow],
          testTimeout: PROCESS_MS,
        },
      },
      {
        extends: true,
        test: {
          ...inProcess,
          name: "fleet",
          include: fleet,
          exclude: [...configDefaults.exclude, ...slow],
          testTimeout: PROCESS_MS,
          hookTimeout: PROCESS_MS,
        },
      },
      {
        extends: true,
        test: {
          ...inProcess,
          name: "e2e",
          include: ["tests/{e2e,workflows}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...slow],
          globalSetup: ["tests/support/build.ts"],
          testTimeout: SLOW_MS,
        },
      },
      {
        extends: true,
        test: {
          ...inProcess,
          name: "slow",
          include: slow,
          globalSetup: ["tests/support/build.ts"],
          testTimeout: SLOW_MS,
        },
      },
      {
        extends: true,
        test: {
          name: "chaos",
          include: ["tests/chaos/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts", "tests/chaos/setup.ts"],
          env: { RAYMOND_TEST_WAIT_MS: "200000" },
          testTimeout: 3_600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "claude",
          include: ["tests/claude/**/*.test.ts"],
          globalSetup: ["tests/claude/setup.ts"],
          testTimeout: SLOW_MS,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "agents",
          include: ["tests/agents/**/*.test.ts"],
          globalSetup: [
            "tests/support/build.ts",
            "tests/agents/setup.ts",
            "tests/agents/codex/setup.ts",
            "tests/agents/pi/setup.ts",
            "tests/chaos/setup.ts",
          ],
          testTimeout: SLOW_MS,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts"],
          testTimeout: SLOW_MS,
          hookTimeout: SLOW_MS,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "windows",
          include: ["tests/windows/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts"],
          testTimeout: SLOW_MS,
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**"],
      thresholds: { "src/{language,machine,analysis}/**": { statements: 100, branches: 95 } },
    },
  },
});
