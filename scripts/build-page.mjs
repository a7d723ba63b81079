import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const FROM = "src/dashboard/page";

/**
 * Builds the page of the dashboard into this folder: `index.html`, and beside it what that names, whose names
 * change with what is in them. Returns the files that it is made of.
 */
export async function buildPage(outdir) {
  const common = {
    outdir,
    bundle: true,
    platform: "browser",
    format: "esm",
    target: ["chrome109", "firefox115", "safari16.4"],
    minify: true,
    metafile: true,
    legalComments: "none",
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
  };
  const worker = await build({ ...common, entryPoints: [`${FROM}/layout-worker.ts`] });
  const page = await build({
    ...common,
    entryPoints: [`${FROM}/main.tsx`, `${FROM}/style.css`, `${FROM}/icon.svg`],
    loader: { ".svg": "copy" },
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { LAYOUT_WORKER: JSON.stringify(`/${builtFrom(worker, "layout-worker.ts")}`) },
  });
  const html = readFileSync(`${FROM}/index.html`, "utf8").replaceAll(
    /(?<=(?:href|src)=")(?:main\.tsx|style\.css|icon\.svg)/g,
    (name) => `/${builtFrom(page, name)}`,
  );
  writeFileSync(`${outdir}/index.html`, html);
  return [worker, page].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** The name of the file that was made of this one. */
function builtFrom({ metafile }, name) {
  const [file] = Object.entries(metafile.outputs).find(([, { entryPoint, inputs }]) => {
    return (entryPoint ?? Object.keys(inputs)[0]) === `${FROM}/${name}`;
  });
  return path.basename(file);
}
