import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Script } from "node:vm";

/** A loaded file of the package, and the path of its code cache. */
export interface LoadedFile {
  /** Its name in `dist/packs`. */
  readonly name: string;
  readonly script: Script;
  readonly cache: string;
}

/**
 * Runs a file of the folder `dist/packs`, such as `command-line.cjs`, and the files there that it
 * requires, like Node's CommonJS loader, with two differences: modules load on first use, and V8 code
 * caches make compiling several times faster. A cache is optional: a missing one, or one of another
 * Node version, only costs time, and V8 rejects one that does not match. Caches are stored in the
 * package, so that writing them requires the same permission as changing the code
 * (docs/decisions/0009).
 */
export function runCached(dist: string, main: string): readonly LoadedFile[] {
  const folder = `${dist}${path.sep}packs`;
  const caches = path.join(dist, "code-cache", MADE_BY);
  const cached = existsSync(caches);
  const modules = new Map<string, { exports: unknown }>();
  const binders = new Map<string, Bind[]>();
  const files: LoadedFile[] = [];

  const compile = (name: string): Wrapped => {
    const cache = `${caches}${path.sep}${name}.bin`;
    // The build writes ASCII, so that no decoding is needed.
    const text = readFileSync(`${folder}${path.sep}${name}`, "latin1");
    const script = new Script(`${HEAD}${text}\n})`, {
      filename: `${SHIPPED}packs/${name}`,
      lineOffset: -1,
      cachedData: cached ? bytesOf(cache) : undefined,
    });
    files.push({ name, script, cache });
    return script.runInThisContext() as Wrapped;
  };
  const bindAll = (name: string, exports: unknown): unknown => {
    for (const bind of binders.get(name) ?? []) bind(exports);
    binders.delete(name);
    return exports;
  };
  const load = (name: string): unknown => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    if (!name.endsWith(".cjs")) return bindAll(name, process.getBuiltinModule(name));
    const module = { exports: {} as unknown };
    const run = compile(name);
    modules.set(name, module);
    try {
      run.call(module.exports, module.exports, require, module, path.join(folder, name), folder);
    } catch (error) {
      // As in Node: a second require loads the module again or throws the same error.
      modules.delete(name);
      throw error;
    }
    return bindAll(name, module.exports);
  };
  const require = (wanted: string, bind?: Bind): unknown => {
    const name = wanted.startsWith("./") ? wanted.slice(2) : wanted;
    const loaded = AT_HAND.has(name) ? process.getBuiltinModule(name) : modules.get(name)?.exports;
    if (bind === undefined) return loaded ?? late(() => load(name));
    if (loaded !== undefined) bind(loaded);
    else binders.set(name, [...(binders.get(name) ?? []), bind]);
    return undefined;
  };

  load(main);
  return files;
}

/**
 * Writes the missing code caches for this Node version, so that the next start compiles less. The
 * published package contains none, because a cache matches only one Node version. Skipped if the
 * package folder is not writable, or under extra Node flags: V8 accepts a cache only under the same
 * flags (docs/decisions/0009).
 */
export function writeMissingCaches(files: readonly LoadedFile[]): void {
  const missing = files.filter(({ script }) => script.cachedDataRejected === undefined);
  if (missing.length === 0 || process.execArgv.length > 0 || process.env["NODE_OPTIONS"]) return;
  for (const { script, cache } of missing) {
    if (existsSync(cache)) continue;
    const temporary = `${cache}.${String(process.pid)}`;
    try {
      mkdirSync(path.dirname(cache), { recursive: true });
      writeFileSync(temporary, script.createCachedData());
      renameSync(temporary, cache);
    } catch {
      rmSync(temporary, { force: true });
      return;
    }
  }
}

/**
 * Prefix of file names in stack traces, instead of the package folder. V8 stores the name in the
 * cache, and the package is built elsewhere. `source-stack.ts` resolves it.
 */
export const SHIPPED = "raymond/dist/";

/** Bytecode matches one processor and one V8. V8 itself only checks its version and flags. */
const MADE_BY = `${process.platform}-${process.arch}-${process.version}`;

/** Node modules that every program has already loaded. */
const AT_HAND: ReadonlySet<string> = new Set(["node:fs", "node:path"]);

/**
 * Receives the exports of a module when it has loaded. The build adds such calls to each file
 * (`scripts/packs.mjs`): until then its variable for the module is a proxy, which is slow.
 */
type Bind = (exports: unknown) => void;

/**
 * A module that loads on first use. Bundled code accesses `module.name` where it uses the name, so
 * that a command only loads what it calls.
 */
function late(load: () => unknown): object {
  let loaded: object | null = null;
  const module = () => (loaded ??= load() as object);
  return new Proxy(
    {},
    {
      get: (_, name) => Reflect.get(module(), name) as unknown,
      has: (_, name) => Reflect.has(module(), name),
      ownKeys: () => Reflect.ownKeys(module()),
      getOwnPropertyDescriptor(_, name) {
        const found = Reflect.getOwnPropertyDescriptor(module(), name);
        // A proxy must not report non-configurable properties that its target does not have.
        return found && { ...found, configurable: true };
      },
    },
  );
}

/** On a line of its own that is not counted, so that positions in the file stay valid. */
const HEAD = "(function (exports, require, module, __filename, __dirname) {\n";

type Wrapped = (
  exports: unknown,
  require: (name: string, bind?: Bind) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    // No cache for this file.
    return undefined;
  }
}
