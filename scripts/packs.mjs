import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/**
 * Opening a file and its code cache, and passing them to V8, takes a fifth of a millisecond, and calls from one file
 * to another are slower than calls within it. So the chunks that the same ones of these commands load become one file, a
 * pack: a command reads few files, and nothing that it does not need. Every other chunk is a pack of its own.
 */
const PACKED = (script) => [["--help"], ["--no-such-flag"], ["list"], ["status"], [script, "--quiet"]];

/**
 * Replaces the chunks in `folder`, whose ES modules are `chunks` (a map of files to exports), by packs. `chunksOf` runs a
 * command and returns the names of the chunks that it loads.
 */
export async function makePacks(folder, { chunks: files, common, script, chunksOf }) {
  const chunks = readChunks(files);
  const packs = packsOf(chunks, PACKED(script).map(chunksOf));
  for (const name of chunks.keys()) for (const ending of ["", ".map"]) rmSync(path.join(folder, name + ending));
  await Promise.all([...packs].map(([name, members]) => makePack({ name, members, packs, chunks, folder, common })));
  for (const name of packs.keys()) addBinders(path.join(folder, name));
}

/** The chunks by name: their path, what they import from other modules, and the names that other chunks import. */
function readChunks(files) {
  const chunks = new Map();
  for (const [file, exports] of files) {
    const text = readFileSync(file, "utf8");
    const imports = [...text.matchAll(IMPORT)].map(([, whole, names, from]) => ({ from, names: [...namesIn(names), ...(whole ? ["default"] : [])] }));
    const [later, wholes] = [LATER, WHOLE].map((pattern) => [...text.matchAll(pattern)].map(([, from]) => from));
    chunks.set(path.basename(file), { number: chunks.size, path: path.resolve(file), imports, later, wholes, exports, used: new Set() });
  }
  for (const { imports, later } of chunks.values()) {
    for (const { from, names } of imports) for (const name of names) chunks.get(path.basename(from))?.used.add(name);
    for (const from of later) {
      const chunk = chunks.get(path.basename(from));
      for (const name of chunk?.exports ?? []) chunk.used.add(name);
    }
  }
  return chunks;
}

/** As esbuild prints them: the default name, the names in braces, and the module. */
const IMPORT = /\bimport(?: ([\w$]+),?)?(?:\{([^}]*)\})?(?: ?from)?"([^"]+)"/g;
const LATER = /\bimport\("([^"]+)"\)/g;
const WHOLE = /\bimport\*as [\w$]+ from"([^"]+)"/g;

function namesIn(names = "") {
  return names.split(",").filter(Boolean).map((name) => name.split(" as ")[0]);
}

/** The names of the chunks in each pack, by the name of the pack. */
function packsOf(chunks, loaded) {
  const groups = new Map();
  for (const name of chunks.keys()) {
    const commands = loaded.map((names) => names.includes(name));
    const group = commands.includes(true) ? commands.join() : name;
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return new Map(
    [...groups.values()].map((names, index) => {
      // This one runs the command, so it comes last.
      if (names.includes(MAIN)) return [MAIN, [...names.filter((name) => name !== MAIN), MAIN]];
      return [names.length === 1 ? names[0] : `${index}.cjs`, names];
    }),
  );
}

const MAIN = "command-line.cjs";

/** Bundles chunks. Their imports from other packs become properties of one variable for each pack. */
async function makePack({ name, members, packs, chunks, folder, common }) {
  const packOf = new Map([...packs].flatMap(([pack, names]) => names.map((chunk) => [chunk, pack])));
  const unique = (chunk, exported) => `${exported}_${chunks.get(chunk).number}`;
  const used = (chunk) => chunks.get(chunk).exports.filter((each) => chunks.get(chunk).used.has(each));
  const list = (chunk, print) => used(chunk).map(print).join();
  const entry = members.map((chunk) => {
    const exported = list(chunk, (each) => `${each} as ${unique(chunk, each)}`);
    return `import ${JSON.stringify(chunks.get(chunk).path)};export{${exported}}from${JSON.stringify(chunks.get(chunk).path)};`;
  });
  /** The names that are imported from modules of Node, so that a pack has one variable for each. */
  const ofNode = new Map();
  const wholes = members.flatMap((chunk) => chunks.get(chunk).wholes);
  for (const chunk of members) {
    for (const { from, names } of chunks.get(chunk).imports) {
      if (from.startsWith("node:") && !wholes.includes(from)) ofNode.set(from, new Set([...(ofNode.get(from) ?? []), ...names]));
    }
  }
  const others = {
    name: "other-packs",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path: wanted, kind, namespace }) => {
        if (namespace === "pack" || namespace === "node") return { path: wanted, external: true };
        if (namespace === "chunk") return { path: wanted, namespace: "pack" };
        if (!chunks.has(path.basename(wanted))) return kind === "import-statement" && ofNode.has(wanted) ? { path: wanted, namespace: "node" } : { path: wanted, external: true };
        const chunk = path.basename(wanted);
        if (path.isAbsolute(wanted) || (members.includes(chunk) && kind === "import-statement")) return { path: chunks.get(chunk).path };
        return { path: chunk, namespace: "chunk", sideEffects: false };
      });
      onLoad({ filter: /.*/, namespace: "chunk" }, ({ path: chunk }) => ({
        contents: `export{${list(chunk, (each) => `${unique(chunk, each)} as ${each}`)}}from"./${packOf.get(chunk)}"`,
      }));
      onLoad({ filter: /.*/, namespace: "pack" }, ({ path: pack }) => ({
        contents: `export{${packs.get(path.basename(pack)).map((chunk) => list(chunk, (each) => unique(chunk, each))).filter(Boolean).join()}}from${JSON.stringify(pack)}`,
      }));
      onLoad({ filter: /.*/, namespace: "node" }, ({ path: module }) => ({
        contents: `export{${[...(ofNode.get(module) ?? [])].join()}}from${JSON.stringify(module)}`,
      }));
    },
  };
  await build({
    ...common,
    stdin: { contents: entry.join("\n"), resolveDir: folder, sourcefile: "entry" },
    outfile: path.join(folder, name),
    bundle: true,
    plugins: [others],
    // A bare import only orders the evaluation, which happens at the first use here.
    logOverride: { "ignored-bare-import": "silent", "direct-eval": "silent" },
  });
}

/**
 * Calls `require` again with a function that sets the variable of a module as soon as it has loaded
 * (`src/launch/code-cache.ts`).
 */
function addBinders(file) {
  const [text, map = ""] = readFileSync(file, "utf8").split(/\n(?=\/\/# sourceMappingURL)/);
  const binders = [...text.matchAll(/\b(import_[\w$]+)=require\(("[^"]+")\)/g)].map(([, variable, module]) => `require(${module},m=>{${variable}=m});`);
  const loads = text.match(/(?<!__toESM\(|['`])\brequire\("/g) ?? [];
  if (loads.length !== binders.length) throw new Error(`${file}: esbuild prints imports in another form, so ${loads.length - binders.length} of them would load slowly: adapt addBinders in scripts/packs.mjs`);
  // The exports alone, without another object around them.
  const plain = text.replace(/module\.exports=__toCommonJS\(([\w$]+)\);/, "module.exports=$1;");
  writeFileSync(file, [plain.trimEnd(), binders.join(""), map].join("\n"));
}
