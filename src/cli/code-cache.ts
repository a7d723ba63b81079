import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Script } from "node:vm";

/** A chunk of what ships that was loaded, and where its code cache belongs. */
export interface LoadedChunk {
  readonly script: Script;
  readonly cache: string;
}

/**
 * Runs a file of what ships, and all that it requires, as Node runs CommonJS, but with what V8 made of
 * it when it was built: reading that takes a fraction of compiling anew. A cache is a hint. One that is
 * missing, or is of another Node, is as good as none; V8 itself refuses what does not fit. They lie in the
 * package, made with the code: who can write there can write the code (docs/decisions/0009).
 */
export function runCached(main: string): readonly LoadedChunk[] {
  const nodes = createRequire(main);
  const caches = path.join(path.dirname(main), "..", "code-cache", MADE_BY);
  const cached = existsSync(caches);
  const modules = new Map<string, { exports: unknown }>();
  const chunks: LoadedChunk[] = [];

  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} as unknown };
    modules.set(file, module);
    const folder = path.dirname(file);
    const cache = path.join(caches, `${path.basename(file)}.bin`);
    const script = new Script(`${HEAD}${readFileSync(file, "utf8")}\n})`, {
      filename: `${SHIPPED}${path.basename(folder)}/${path.basename(file)}`,
      lineOffset: -1,
      cachedData: cached ? bytesOf(cache) : undefined,
    });
    chunks.push({ script, cache });
    const require = (name: string): unknown => {
      return name.startsWith(".") ? load(path.join(folder, name)) : nodes(name);
    };
    const run = script.runInThisContext() as Wrapped;
    run.call(module.exports, module.exports, require, module, file, folder);
    return module.exports;
  };

  load(main);
  return chunks;
}

/**
 * What the names of files in stack traces begin with, in place of the folder that they lie in: V8 keeps the name
 * with its code, and the package is not used where it was built. `source-stack.ts` knows the rest.
 */
export const SHIPPED = "raymond/dist/";

/** Bytecode fits one processor and one V8. V8 looks at its version and its flags, and not at the rest. */
const MADE_BY = `${process.platform}-${process.arch}-${process.version}`;

/** On a line of its own, which is not counted: places in the file stay true. */
const HEAD = "(function (exports, require, module, __filename, __dirname) {\n";

type Wrapped = (
  exports: unknown,
  require: (name: string) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    // A chunk that the build did not meet when it made the caches.
    return undefined;
  }
}
