// Builds the package:
// - the command line as CommonJS in shared chunks, so that a command loads only what it uses, with source maps for stack
//   traces
// - the library as one ES module, with the types that its entry needs, from tsc
// - the page of the dashboard as files for the browser
// - the licenses of the bundled packages
import { buildHash } from "./build-hash.mjs";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { leftOut } from "./left-out.mjs";
import { buildPage } from "./build-page.mjs";
import { licencesOf } from "./licences.mjs";
import { pruneTypes } from "./prune-types.mjs";
import { replaceBuild } from "./replace-build.mjs";

const value = (flag) => process.argv.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
const target = value("--outdir") ?? "dist";
/** The entry of a command line for tests. */
const entry = value("--entry");
/** The folder of this build. Running processes load their later chunks from their own one. */
const name = `builds/${buildHash()}`;
/** Of this process: tests of two projects may build at the same time. */
const outdir = `${target}.new-${process.pid}`;
process.on("exit", () => {
  rmSync(outdir, { recursive: true, force: true });
});

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
const commonJs = { ...common, outExtension: { ".js": ".cjs" } };
// esbuild shares chunks between ES modules only. CommonJS loads a sixth faster on Node 20, so each chunk is converted.
const modules = `${outdir}/modules`;
const shared = await build({
  ...commonJs,
  entryPoints: { main: entry ?? "src/cli/main.ts" },
  outdir: modules,
  bundle: true,
  splitting: true,
  chunkNames: "[name]-[hash]",
  format: "esm",
  define: { ...common.define, "import.meta.dirname": "__dirname" },
});
const chunks = Object.keys(shared.metafile.outputs).filter((file) => file.endsWith(".cjs"));
await build({ ...commonJs, entryPoints: chunks, outbase: modules, outdir: `${outdir}/${name}`, format: "cjs", supported: { "dynamic-import": false } });
rmSync(modules, { recursive: true });
await build({
  ...commonJs,
  entryPoints: { "cli/main": "src/launch/launch.ts" },
  outdir,
  format: "cjs",
  define: { BUILD_FOLDER: JSON.stringify(`../${name}`) },
});

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
replaceBuild(target, outdir);
