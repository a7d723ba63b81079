import nodeModule from "node:module";
import path from "node:path";

/** The folder of this build, relative to this file. Replaced by the build. */
declare const BUILD_FOLDER: string;

const folder = path.join(__dirname, BUILD_FOLDER);
// Node before 22.1 has no compile cache. It is stored beside the code, so that writing it requires the same permission
// as changing the code, and is deleted with its build.
(nodeModule as { enableCompileCache?: (folder: string) => unknown }).enableCompileCache?.(
  path.join(folder, "compile-cache"),
);
// oxlint-disable-next-line typescript/no-require-imports -- the build is CommonJS
require(path.join(folder, "main.cjs"));
