/**
 * What packages ask for and raymond never uses, which every start would load all the same. By package and what it
 * asks for: a module in its place. The tests of what ships see that it is not missed.
 */
const LEFT_OUT = new Map([
  // Commander starts programs of their own as commands; ours are functions.
  ["commander node:child_process", "module.exports = {};"],
  // gray-matter gets its readers from front-matter.ts, and asks for those of its own before it looks.
  ["gray-matter js-yaml", "const no = () => { throw new Error('left out'); }; module.exports = { safeLoad: no, safeDump: no };"],
]);

/** A plugin of esbuild that leaves them out. */
export const leftOut = {
  name: "left-out",
  setup(build) {
    build.onResolve({ filter: /^(?:node:child_process|js-yaml)$/ }, ({ path, importer }) => {
      const asker = /node_modules\/([^/]+)\//.exec(importer.replaceAll("\\", "/"))?.[1];
      const name = `${asker} ${path}`;
      return LEFT_OUT.has(name) ? { path: name, namespace: "left-out" } : null;
    });
    build.onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({ contents: LEFT_OUT.get(path), loader: "js" }));
  },
};
