// Everything that must hold, two jobs at a time, the longest first.
// `npm run check -- --fast` leaves out the end-to-end and chaos tests.
import { spawn } from "node:child_process";

const fast = process.argv.includes("--fast");
const projects = ["core", "shell", ...(fast ? [] : ["e2e", "chaos"])];
/** Each is a row of commands, one after the other. */
const jobs = [
  [
    ["test", `npx vitest run ${projects.map((project) => `--project ${project}`).join(" ")}`],
    // Looks at what the end-to-end tests have built.
    ...(fast ? [] : [["package", "npm run --silent package"]]),
  ],
  [["lint", "npx eslint --cache --cache-location .cache/eslint/ -c .config/eslint.config.mjs src tests"]],
  [["types", "npm run --silent types"]],
  [["deps", "npm run --silent deps"]],
  [["graph", "npm run --silent graph -- --check"]],
  [["unused", "npm run --silent unused"]],
  [["format", "npx biome check"]],
];

/** Runs a command and prints what it said when it ends, so that two jobs do not mix their lines. */
function run(name, command) {
  const began = Date.now();
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  child.stdout.on("data", (chunk) => said.push(chunk));
  child.stderr.on("data", (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const seconds = ((Date.now() - began) / 1000).toFixed(0);
      process.stdout.write(Buffer.concat(said));
      console.log(`${code === 0 ? "ok    " : "FAILED"}  ${name} (${seconds} s)\n`);
      resolve(code === 0);
    });
  });
}

/** Takes jobs until none is left. */
async function work() {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    for (const [name, command] of job) {
      if (!(await run(name, command))) process.exitCode = 1;
    }
  }
}

await Promise.all([work(), work()]);
