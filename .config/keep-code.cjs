// Required before raymond by the build: when raymond ends, says which chunks it has loaded (TELL_LOADED, a file), or
// keeps what V8 has compiled of each, or of each that has no cache yet (KEEP_CODE_OF=new).
const { existsSync, mkdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");

process.on("exit", () => {
  const { chunks } = require(process.argv[1]);
  const { TELL_LOADED: told, KEEP_CODE_OF: which } = process.env;
  if (told !== undefined) {
    writeFileSync(told, JSON.stringify(chunks.map(({ name }) => name)));
    return;
  }
  for (const { script, cache } of chunks) {
    if (which === "new" && existsSync(cache)) continue;
    mkdirSync(path.dirname(cache), { recursive: true });
    writeFileSync(cache, script.createCachedData());
  }
});
