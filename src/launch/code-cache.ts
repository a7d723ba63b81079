import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Script } from "node:vm";

/** A loaded file of the package, and the path of its code cache. */
export interface LoadedChunk {
  /** Its path in `dist`. */
  readonly name: string;
  readonly script: Script;
  readonly cache: string;
}

/**
 * Runs a file of the package, such as `cli/command-line.cjs` in the folder `dist`, and the modules
 * that it requires, like Node's CommonJS loader, with two differences: modules load on first use,
 * and V8 code caches make compiling several times faster. Modules that are used together are read
 * together, from a pack. A cache is optional: a missing one, or one of another Node version, only
 * costs time, and V8 rejects one that does not match. Caches are stored in the package, so that
 * writing them requires the same permission as changing the code (docs/decisions/0009).
 */
export function runCached(dist: string, main: string): readonly LoadedChunk[] {
  const caches = path.join(dist, "code-cache", MADE_BY);
  const cached = existsSync(caches);
  const places = packPlaces(dist);
  const packs = new Map<string, Pack>();
  const modules = new Map<string, { exports: unknown }>();
  const chunks: LoadedChunk[] = [];

  const compile = (name: string, head: string, tail: string): unknown => {
    const [folder = "", base = ""] = name.split("/");
    const own = folder === "packs" ? `pack-${base}` : base;
    const cache = `${caches}${path.sep}${own}.bin`;
    // The build writes ASCII, so that no decoding is needed.
    const text = readFileSync(`${dist}${path.sep}${folder}${path.sep}${base}`, "latin1");
    const script = new Script(`${head}${text}${tail}`, {
      filename: `${SHIPPED}${name}`,
      lineOffset: head === "" ? 0 : -1,
      cachedData: cached ? bytesOf(cache) : undefined,
    });
    chunks.push({ name, script, cache });
    return script.runInThisContext();
  };
  const wrapped = (name: string): Wrapped => {
    const place = places[name];
    if (place === undefined) return compile(name, HEAD, "\n})") as Wrapped;
    const pack = packs.get(place.pack) ?? (compile(place.pack, "", "") as Pack);
    packs.set(place.pack, pack);
    return pack[name] as Wrapped;
  };
  const load = (name: string): unknown => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} as unknown };
    const run = wrapped(name);
    const [folder = "", base = ""] = name.split("/");
    const place = `${dist}${path.sep}${folder}`;
    const require = (wanted: string): unknown => {
      if (!wanted.startsWith(".")) return ofNode(wanted);
      // String operations instead of path.join, because this runs hundreds of times at startup.
      const other = wanted.startsWith("../") ? wanted.slice(3) : `${folder}/${wanted.slice(2)}`;
      return modules.get(other)?.exports ?? late(() => load(other));
    };
    modules.set(name, module);
    try {
      run.call(
        module.exports,
        module.exports,
        require,
        module,
        `${place}${path.sep}${base}`,
        place,
      );
    } catch (error) {
      // As in Node: a second require loads the module again or throws the same error.
      modules.delete(name);
      throw error;
    }
    return module.exports;
  };

  load(main);
  return chunks;
}

/**
 * Writes the missing code caches for this Node version, so that the next start compiles less. The
 * published package contains none, because a cache matches only one Node version. Skipped if the
 * package folder is not writable, or under extra Node flags: V8 accepts a cache only under the same
 * flags (docs/decisions/0009).
 */
export function writeMissingCaches(chunks: readonly LoadedChunk[]): void {
  const missing = chunks.filter(({ script }) => script.cachedDataRejected === undefined);
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

/** The pack of a chunk, and the number of lines before its first line. */
interface PackPlace {
  readonly pack: string;
  readonly line: number;
}

/** The wrapped chunks of a pack. */
type Pack = Readonly<Record<string, Wrapped>>;

/** The packs of all chunks (`.config/packs.mjs`). */
export function packPlaces(dist: string): Readonly<Record<string, PackPlace>> {
  try {
    return JSON.parse(readFileSync(`${dist}${path.sep}packs.json`, "latin1")) as Readonly<
      Record<string, PackPlace>
    >;
  } catch {
    // During the build there are no packs: each chunk is read on its own.
    return {};
  }
}

function ofNode(name: string): unknown {
  return AT_HAND.has(name)
    ? process.getBuiltinModule(name)
    : late(() => process.getBuiltinModule(name));
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
  require: (name: string) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    // No cache for this chunk.
    return undefined;
  }
}
