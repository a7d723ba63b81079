import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FIGURES_FILE, type Figure, parseFigures } from "./figures.ts";

/*
 * `npm run chaos`: long versions of all tests of docs/durability.md, with a summary table. The environment can change
 * the sizes below. Exits with 1 if a guarantee was violated. `-- --fleet`: only the fleet test, for ten minutes.
 * `-- --quick`: short versions of some tests, for CI.
 */

/** What a call runs, and how much of it. */
interface Selection {
  readonly tests: readonly string[];
  readonly sizes: Readonly<Record<string, string>>;
}

const ALL: Selection = {
  tests: ["tests/chaos", "tests/engine/scheduling.test.ts", "tests/fleet/admin/traces.test.ts"],
  sizes: {
    RAYMOND_FAULTS: "every",
    RAYMOND_KILLS: "100",
    RAYMOND_RACES: "4",
    RAYMOND_CRASH_POINTS: "2",
    RAYMOND_LAW_RUNS: "1000",
    RAYMOND_TRACE_RUNS: "200",
    RAYMOND_POWER_LOSSES: "8000",
    RAYMOND_FUZZ_SECONDS: "30",
    RAYMOND_STEPS: "10000",
    RAYMOND_SUSPEND_SECONDS: "60",
  },
};

const FLEET: Selection = {
  tests: ["tests/chaos/fleet/fleet.test.ts"],
  sizes: { RAYMOND_FLEET_SECONDS: "600" },
};

const QUICK: Selection = {
  tests: [...["crash", "kill", "faults/faults-power", "fuzz"].map((name) => `tests/chaos/${name}`)],
  sizes: {
    RAYMOND_CRASH_POINTS: "some",
    RAYMOND_KILLS: "4",
    RAYMOND_POWER_LOSSES: "400",
    RAYMOND_FUZZ_SECONDS: "4",
  },
};

async function chaos(): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-chaos-"));
  const file = path.join(folder, "figures.jsonl");
  try {
    const { tests, sizes } = selection();
    const projects = ["chaos", "shell", "fleet"].flatMap((name) => ["--project", name]);
    const words = ["vitest", "run", ...projects, ...tests];
    const child = spawn("npx", words, {
      env: { ...sizes, ...process.env, [FIGURES_FILE]: file },
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    const [code] = (await once(child, "close")) as [number | null];
    const figures = parseFigures(await readFile(file, "utf8").catch(() => ""));
    print(figures);
    const broken = figures.some(({ failures }) => failures.length > 0);
    return code === 0 && !broken && figures.length > 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function selection(): Selection {
  if (process.argv.includes("--fleet")) return FLEET;
  return process.argv.includes("--quick") ? QUICK : ALL;
}

function print(figures: readonly Figure[]): void {
  const width = Math.max(...figures.map(({ what }) => what.length), 20);
  console.log(`\n${"tried".padEnd(width)}  ${"count".padStart(9)}  failures`);
  for (const { what, count, failures } of figures) {
    const figure = count.toLocaleString("en-US").padStart(9);
    console.log(`${what.padEnd(width)}  ${figure}  ${String(failures.length).padStart(8)}`);
    for (const failure of failures) console.log(`    ${failure}`);
  }
}

process.exitCode = await chaos();
