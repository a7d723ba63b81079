import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Runs the built command line as a user does, packs the chunks that are loaded together (`makePacks`), and keeps the code
 * that V8 compiled. Reading unused code costs time, so frequent, short commands come first and each replaces the caches of
 * the chunks it loads. The longer commands that follow only add the caches that are missing.
 */
export async function packAndCache(outdir, makePacks) {
  const folder = mkdtempSync(path.join(tmpdir(), "raymond-build-"));
  const run = (words, hooks = {}) => {
    const hook = path.join(import.meta.dirname, "keep-code.cjs");
    const main = path.resolve(outdir, "cli/main.cjs");
    const flags = Object.keys(hooks).length > 0 ? ["--require", hook] : [];
    // A failure is not reported here: raymond works without caches, and tests check that it has them.
    spawnSync(process.execPath, [...flags, main, ...words], {
      cwd: folder,
      env: { ...plain(), ...hooks },
      stdio: "ignore",
    });
  };
  const chunksOf = (words) => {
    const loaded = path.join(folder, "loaded.json");
    run(words, { REPORT_LOADED: loaded });
    return JSON.parse(readFileSync(loaded, "utf8"));
  };
  try {
    // A repository of its own: what the runs leave stays in here.
    mkdirSync(path.join(folder, ".git"));
    writeFileSync(path.join(folder, ".git", "HEAD"), "");
    const script = writeScript(folder);
    const prompt = writePrompt(folder);
    // Without a run there is nothing to list.
    run([script, "--quiet"]);
    await makePacks({ script, chunksOf });
    // Caches that the runs above have written are of chunks that are in packs now.
    rmSync(path.join(outdir, "code-cache"), { recursive: true, force: true });
    for (const words of [["list"], [script, "--quiet"], ["list"], ["status"], ["--no-such-flag"], ["--help"]]) {
      run(words, { REPLACE_CACHES: "1" });
    }
    for (const words of [["tour"], prompt, ["cost"], ["resume", "latest"], ["prune"], ["stop", "latest"]]) {
      run(words);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeScript(folder) {
  const windows = process.platform === "win32";
  const name = windows ? "START.bat" : "START.sh";
  writeFileSync(path.join(folder, name), windows ? "@echo ^<result^>done^</result^>\n" : "echo '<result>done</result>'\n");
  return name;
}

/** The words that run a prompt, by a client that says what the real one has once said. */
function writePrompt(folder) {
  // Apart: a script beside it would look for the client.
  mkdirSync(path.join(folder, "ask"));
  writeFileSync(path.join(folder, "ask", "START.md"), "---\nmodel: haiku\n---\nSay hello.\n");
  const said = path.resolve(import.meta.dirname, "../tests/fixtures/claude/2.1.330/simple.jsonl");
  const client = `#!/bin/sh
case "$1" in
  --version) echo '2.1.330 (Claude Code)' ;;
  auth) echo '{"loggedIn":true}' ;;
  *) cat '${said}' ;;
esac
`;
  writeFileSync(path.join(folder, "client"), client, { mode: 0o755 });
  return ["ask", "--quiet", "--claude", path.join(folder, "client"), "--no-wait"];
}

/** Flags of Node would be flags of V8 as well, and its caches are for one set of them. */
function plain() {
  const ours = (name) => name === "NODE_OPTIONS" || name.startsWith("RAYMOND_");
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours(name)));
}
