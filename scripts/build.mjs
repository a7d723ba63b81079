// Builds the package:
// - the command line as CommonJS in shared chunks, so that a command loads only what it uses, with V8 code caches
//   (decision 9), packs of chunks that are loaded together, and source maps for stack traces
// - the library as one ES module, with the types that its entry needs, from tsc
// - the page of the dashboard as files for the browser
// - the licenses of the bundled packages
import { buildHash } from "./build-hash.mjs";
import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { packAndCache } from "./code-caches.mjs";
import { leftOut } from "./left-out.mjs";
import { buildPage } from "./build-page.mjs";
import { licencesOf } from "./licences.mjs";
import { makePacks } from "./packs.mjs";
import { pruneTypes } from "./prune-types.mjs";

const value = (flag) => process.argv.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
const target = value("--outdir") ?? "dist";
/** Modules with a chunk of their own, which is loaded at its first use (`src/launch/code-cache.ts`). */
const APART = [
  "src/clients/claude/claude.ts",
  "src/clients/claude/output/stream.ts",
  "src/machine/model/run-state.ts",
  "src/machine/model/totals.ts",
  "src/language/workflow/convert.ts",
  "src/language/workflow/policy/declarations.ts",
  "src/language/workflow/front-matter.ts",
  "src/language/workflow/files/manifest.ts",
  "src/language/workflow/yaml-tree.ts",
  "src/engine/executors/prompt.ts",
  "src/console/notify.ts",
  "src/log/debug-files.ts",
  "src/scopes/archive.ts",
  "src/scopes/folder.ts",
  "src/clients/simulation/answers.ts",
  "src/clients/simulation/backend.ts",
  "src/clients/simulation/find.ts",
  "src/storage/codec/loader.ts",
  "smol-toml",
  "string-width",
];
/** The entry of a command line for tests. */
const entry = value("--entry");
// Replaced as a whole, so that a running raymond sees either the old build or the new one.
const outdir = `${target}.new`;
rmSync(outdir, { recursive: true, force: true });

const common = {
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
  legalComments: "none",
  plugins: [leftOut],
  define: { RAYMOND_BUILD: JSON.stringify(buildHash()) },
};
const commonJs = {
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  define: { ...common.define, "import.meta.dirname": "__dirname" },
  supported: { "dynamic-import": false },
};
// esbuild shares chunks between ES modules only, so each of them becomes CommonJS in a second pass, and packs in a third.
const modules = `${outdir}/modules`;
const packs = `${outdir}/packs`;
const shared = await build({
  ...common,
  entryPoints: [
    { in: entry ?? "src/cli/main.ts", out: "command-line" },
    ...APART.map((part, index) => ({ in: part, out: `apart/${index}` })),
  ],
  outdir: modules,
  bundle: true,
  splitting: true,
  chunkNames: "[name]-[hash]",
  format: "esm",
  outExtension: commonJs.outExtension,
  define: commonJs.define,
});
rmSync(`${modules}/apart`, { recursive: true });
/** The chunks and their exports. */
const chunks = new Map(Object.entries(shared.metafile.outputs).filter(([file]) => existsSync(file) && file.endsWith(".cjs")).map(([file, { exports }]) => [file, exports]));
await build({ ...common, ...commonJs, entryPoints: [...chunks.keys()], outbase: modules, outdir: packs });
await build({ ...common, ...commonJs, entryPoints: { "cli/main": "src/launch/launch.ts" }, outdir, bundle: true });
await packAndCache(outdir, (used) => makePacks(packs, { chunks, common: { ...common, ...commonJs }, ...used }));
rmSync(modules, { recursive: true });

const inputs = Object.keys(shared.metafile.inputs);
if (entry === undefined) {
  const library = await build({
    ...common,
    entryPoints: { index: "src/index.ts" },
    outdir,
    bundle: true,
    format: "esm",
    // CommonJS packages inside the bundle call require() for Node's own modules.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
  inputs.push(...Object.keys(library.metafile.inputs), ...(await buildPage(`${outdir}/dashboard`)));
  execFileSync(process.execPath, ["--import", "tsx", "scripts/man.mjs", outdir], { stdio: "inherit" });
}
writeFileSync(`${outdir}/LICENCES.txt`, licencesOf(inputs));
if (!process.argv.includes("--no-types")) {
  execFileSync("tsc", ["-p", "scripts/types.json", "--outDir", `${outdir}/types`], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  pruneTypes(`${outdir}/types`);
}
rmSync(target, { recursive: true, force: true });
renameSync(outdir, target);
