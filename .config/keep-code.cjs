// Required before raymond by the build: when raymond ends, keeps what V8 has compiled of each chunk.
const { mkdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");

process.on("exit", () => {
  for (const { script, cache } of require(process.argv[1]).chunks) {
    mkdirSync(path.dirname(cache), { recursive: true });
    writeFileSync(cache, script.createCachedData());
  }
});
