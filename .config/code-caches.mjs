import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Runs what was built as a user does, and keeps what V8 has compiled meanwhile: not more, for reading
 * what nobody calls costs time as well. Each run reads what the one before has kept, and adds to it.
 */
export function makeCodeCaches(main) {
  const folder = mkdtempSync(path.join(tmpdir(), "raymond-build-"));
  try {
    // A repository of its own: what the runs leave stays in here.
    mkdirSync(path.join(folder, ".git"));
    const script = process.platform === "win32" ? "START.bat" : "START.sh";
    const tag = process.platform === "win32" ? "@echo ^<result^>done^</result^>" : "echo '<result>done</result>'";
    writeFileSync(path.join(folder, script), `${tag}\n`);
    for (const words of [["tour"], [script, "--quiet"], ["list"], ["status"], ["--no-such-flag"], ["--help"]]) {
      const keep = path.join(import.meta.dirname, "keep-code.cjs");
      // Whether it works is for the tests to say: without a cache raymond is slower, and nothing else.
      spawnSync(process.execPath, ["--require", keep, path.resolve(main), ...words], { cwd: folder, env: plain(), stdio: "ignore" });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Flags of Node would be flags of V8 as well, and its caches are for one set of them. */
function plain() {
  const ours = (name) => name === "NODE_OPTIONS" || name.startsWith("RAYMOND_");
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours(name)));
}
