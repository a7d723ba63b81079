import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Opening a file and its code cache, and passing them to V8, takes a fifth of a millisecond, and a script step needs
 * seventy. So chunks that the same ones of these commands load are put together in one file, a pack: a command reads
 * few files, and nothing that it does not need. The chunks stay as they are, for users who let Node map its sources.
 */
const PACKED = (script) => [["--help"], ["--no-such-flag"], ["list"], ["status"], [script, "--quiet"]];

/** Writes the packs of what was built, and `packs.json`: for each chunk its pack, and the line there before its first. */
export function makePacks(outdir, { script, chunksOf }) {
  const places = {};
  mkdirSync(`${outdir}/packs`);
  for (const [number, chunks] of loadedTogether(PACKED(script).map(chunksOf)).entries()) {
    const pack = `packs/${number}.cjs`;
    let text = "({\n";
    for (const chunk of chunks) {
      text += `${JSON.stringify(chunk)}: (function (exports, require, module, __filename, __dirname) {\n`;
      places[chunk] = { pack, line: text.split("\n").length - 1 };
      text += `${readFileSync(path.join(outdir, chunk), "utf8").replace(MAP_COMMENT, "")}\n}),\n`;
    }
    writeFileSync(path.join(outdir, pack), `${text}})\n`);
  }
  writeFileSync(`${outdir}/packs.json`, JSON.stringify(places));
}

/** The chunks that some commands load, those together that the same commands do. */
function loadedTogether(loaded) {
  const groups = new Map();
  for (const chunk of new Set(loaded.flat())) {
    const commands = loaded.map((chunks) => chunks.includes(chunk)).join();
    groups.set(commands, [...(groups.get(commands) ?? []), chunk]);
  }
  return [...groups.values()];
}

const MAP_COMMENT = /\n\/\/# sourceMappingURL=.*\n?$/;
