// Required before raymond by the build: when raymond ends, keeps what V8 has compiled of each chunk, or of each
// that has no cache yet (KEEP_CODE_OF=new).
const { existsSync, mkdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");

process.on("exit", () => {
  for (const { script, cache } of require(process.argv[1]).chunks) {
    if (process.env.KEEP_CODE_OF === "new" && existsSync(cache)) continue;
    mkdirSync(path.dirname(cache), { recursive: true });
    writeFileSync(cache, script.createCachedData());
  }
});
