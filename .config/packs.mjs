import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Opening a file and its code cache, and telling V8 of them, takes a fifth of a millisecond, and a script step needs
 * seventy. So what a command loads is put together in one file, a pack: what each of these loads and those before it
 * do not. The chunks stay as they are, for whoever lets Node map its sources.
 */
const PACKED = (script) => [["--help"], ["list"], [script, "--quiet"]];

/** Writes the packs of what was built, and `packs.json`: for each chunk its pack, and the line there before its first. */
export function makePacks(outdir, { script, chunksOf }) {
  const places = {};
  mkdirSync(`${outdir}/packs`);
  for (const [number, words] of PACKED(script).entries()) {
    const pack = `packs/${number}.cjs`;
    let text = "({\n";
    for (const chunk of chunksOf(words).filter((name) => !(name in places))) {
      text += `${JSON.stringify(chunk)}: (function (exports, require, module, __filename, __dirname) {\n`;
      places[chunk] = { pack, line: text.split("\n").length - 1 };
      text += `${readFileSync(path.join(outdir, chunk), "utf8").replace(MAP_COMMENT, "")}\n}),\n`;
    }
    writeFileSync(path.join(outdir, pack), `${text}})\n`);
  }
  writeFileSync(`${outdir}/packs.json`, JSON.stringify(places));
}

const MAP_COMMENT = /\n\/\/# sourceMappingURL=.*\n?$/;
