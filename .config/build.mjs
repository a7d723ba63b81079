// Builds what ships: one bundle with shared chunks, so that a command loads only what it uses, with
// source maps, so that a stack trace names the source. Types come from tsc: those that the library's
// entry leads to. The licences of what is in the bundle go beside it.
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { licencesOf } from "./licences.mjs";

const value = (flag) => process.argv.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
const target = value("--outdir") ?? "dist";
/** Another command line than the one that ships: a test's, made the same way. */
const entry = value("--entry");
// Built beside and put in place as a whole: a raymond that runs meanwhile sees the old one or the new one.
const outdir = `${target}.new`;
rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints:
    entry === undefined
      ? { "cli/main": "src/cli/main.ts", index: "src/index.ts" }
      : { "cli/main": entry },
  outdir,
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
  legalComments: "none",
  // CommonJS packages inside the bundle call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
writeFileSync(`${outdir}/LICENCES.txt`, licencesOf(Object.keys(metafile.inputs)));
if (!process.argv.includes("--no-types")) {
  execFileSync("tsc", ["-p", ".config/types.json", "--outDir", `${outdir}/types`], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}
rmSync(target, { recursive: true, force: true });
renameSync(outdir, target);
