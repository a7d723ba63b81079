// Required before raymond by the build. When raymond ends, writes the names of the files it has loaded (REPORT_LOADED, a
// file), or replaces the code cache of each (REPLACE_CACHES=1). Missing caches are written by raymond itself.
const { mkdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");

process.on("exit", () => {
  const { files } = require(process.argv[1]);
  const { REPORT_LOADED: report, REPLACE_CACHES: replace } = process.env;
  if (report !== undefined) writeFileSync(report, JSON.stringify(files.map(({ name }) => name)));
  if (replace === undefined) return;
  for (const { script, cache } of files) {
    mkdirSync(path.dirname(cache), { recursive: true });
    writeFileSync(cache, script.createCachedData());
  }
});
