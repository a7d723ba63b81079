import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Script } from "node:vm";

/** A file of what ships that was loaded, and where its code cache belongs. */
export interface LoadedChunk {
  /** Its place in `dist`. */
  readonly name: string;
  readonly script: Script;
  readonly cache: string;
}

/**
 * Runs a file of what ships, such as `cli/command-line.cjs` in the folder `dist`, and what it requires, as Node
 * runs CommonJS, but each file when something of it is first used, and with what V8 made of it when it was
 * built: reading that takes a fraction of compiling anew. Files that are used together are read together, from a
 * pack. A cache is a hint. One that is missing, or is of another Node, is as good as none; V8 itself refuses what
 * does not fit. They lie in the package, made with the code: who can write there can write the code
 * (docs/decisions/0009).
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
    // The build writes ASCII: there is nothing to decode.
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
      // There is nothing else to find out, and hundreds of these are asked for: no path.join, here and above.
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
      // As Node does it: who asks again gets it loaded or the same error, and no module that is half there.
      modules.delete(name);
      throw error;
    }
    return module.exports;
  };

  load(main);
  return chunks;
}

/**
 * Writes the code caches that are missing for this Node version, so that the next start compiles less. The
 * published package contains none, because a cache fits one Node version only. A package folder that cannot be
 * written stays without caches. Skipped under extra Node flags: V8 accepts a cache only under the flags it was
 * made with (docs/decisions/0009).
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

/** In which pack a chunk is read with others, and how many lines there are before its first. */
interface PackPlace {
  readonly pack: string;
  readonly line: number;
}

/** The chunks of a pack, as Node would wrap each. */
type Pack = Readonly<Record<string, Wrapped>>;

/** Where the chunks that are packed are found (`.config/packs.mjs`). */
export function packPlaces(dist: string): Readonly<Record<string, PackPlace>> {
  try {
    return JSON.parse(readFileSync(`${dist}${path.sep}packs.json`, "latin1")) as Readonly<
      Record<string, PackPlace>
    >;
  } catch {
    // The build itself runs without: then each chunk is read by itself.
    return {};
  }
}

function ofNode(name: string): unknown {
  return AT_HAND.has(name)
    ? process.getBuiltinModule(name)
    : late(() => process.getBuiltinModule(name));
}

/**
 * What the names of files in stack traces begin with, in place of the folder that they lie in: V8 keeps the name
 * with its code, and the package is not used where it was built. `source-stack.ts` knows the rest.
 */
export const SHIPPED = "raymond/dist/";

/** Bytecode fits one processor and one V8. V8 looks at its version and its flags, and not at the rest. */
const MADE_BY = `${process.platform}-${process.arch}-${process.version}`;

/** Parts of Node that every program has loaded. */
const AT_HAND: ReadonlySet<string> = new Set(["node:fs", "node:path"]);

/**
 * A module that is loaded when something of it is first asked for. What is bundled asks for `module.name` where it
 * uses the name, so a command loads what it calls, and not all that it could call.
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
        // Of a proxy's own target, which has none of them, nothing may be said to be fixed.
        return found && { ...found, configurable: true };
      },
    },
  );
}

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
