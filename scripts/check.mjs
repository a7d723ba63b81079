// Runs every check, two jobs at a time, the longest first.
// `npm run check -- --all` includes the fleet and end-to-end tests, and the check of the package. `--after-test` omits the
// tests of `npm test`.
import { spawn } from "node:child_process";

const all = process.argv.includes("--all");
const unit = process.argv.includes("--after-test") ? [] : ["core", "shell"];
const projects = [...unit, "processes", ...(all ? ["fleet", "e2e"] : [])];
/** Each job is a list of commands that run one after the other. */
const jobs = [
  [
    ["test", `npx vitest run ${projects.map((project) => `--project ${project}`).join(" ")}`],
    // Checks the build of the end-to-end tests.
    ...(all ? [["package", "npm run --silent package"]] : []),
  ],
  [["lint", "npx oxlint src tests"]],
  [["words", "node scripts/words.mjs"]],
  [["types", "npm run --silent types"]],
  [["deps", "npm run --silent deps"]],
  [["graph", "npm run --silent graph -- --check"]],
  [["unused", "npm run --silent unused"]],
  [["format", "npx biome check --error-on-warnings"]],
];

const started = Date.now();

/** Prints a line with the time since the start of the check, such as "[1:05] started  lint". */
function report(text) {
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`[${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}] ${text}`);
}

/** Runs a command. Test output is shown live, all other output when the command ends: jobs do not mix lines. */
function run(name, command) {
  report(`started  ${name}`);
  const live = name === "test";
  const child = spawn(command, { shell: true, stdio: ["ignore", live ? "inherit" : "pipe", live ? "inherit" : "pipe"] });
  const output = [];
  child.stdout?.on("data", (chunk) => output.push(chunk));
  child.stderr?.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(output));
      report(`${code === 0 ? "ok      " : "FAILED  "} ${name}`);
      resolve(code === 0);
    });
  });
}

/** Runs jobs until none is left. */
async function work() {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    for (const [name, command] of job) {
      if (!(await run(name, command))) process.exitCode = 1;
    }
  }
}

await Promise.all([work(), work()]);
