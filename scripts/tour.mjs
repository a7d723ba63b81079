// `npm run tour`: installs the dependencies, builds raymond and runs its tour. Prints each part as it starts.
import { spawnSync } from "node:child_process";

const parts = [
  ["Check the dependencies", "node scripts/install.mjs"],
  ["Build raymond", "npm run --silent build"],
  ["Run the tour", "node bin/raymond.js tour"],
];

for (const [index, [title, command]] of parts.entries()) {
  console.log(`[${index + 1}/${parts.length}] ${title}: ${command}`);
  const { status } = spawnSync(command, { shell: true, stdio: "inherit" });
  if (status !== 0) {
    console.error(`error: "${command}" failed with exit code ${status}`);
    process.exit(1);
  }
}
console.log("To use raymond from any folder: npm install -g .");
