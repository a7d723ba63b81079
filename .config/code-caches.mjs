import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makePacks } from "./packs.mjs";

/**
 * Runs what was built as a user does, puts together what is loaded together, and keeps what V8 has compiled
 * meanwhile: not more, for reading what nobody calls costs time as well. So what is run often and takes little
 * goes first, each run adding to what those before it have kept; what takes longer then only gives caches to
 * chunks that have none.
 */
export function makeCodeCaches(outdir) {
  const folder = mkdtempSync(path.join(tmpdir(), "raymond-build-"));
  const run = (words, env) => {
    const hook = path.join(import.meta.dirname, "keep-code.cjs");
    const main = path.resolve(outdir, "cli/main.cjs");
    // Whether it works is for the tests to say: without a cache raymond is slower, and nothing else.
    spawnSync(process.execPath, ["--require", hook, main, ...words], {
      cwd: folder,
      env: { ...plain(), ...env },
      stdio: "ignore",
    });
  };
  const chunksOf = (words) => {
    const told = path.join(folder, "loaded.json");
    run(words, { TELL_LOADED: told });
    return JSON.parse(readFileSync(told, "utf8"));
  };
  try {
    // A repository of its own: what the runs leave stays in here.
    mkdirSync(path.join(folder, ".git"));
    const script = writeScript(folder);
    const prompt = writePrompt(folder);
    // Without a run there is nothing to list.
    run([script, "--quiet"], {});
    makePacks(outdir, { script, chunksOf });
    for (const words of [["list"], [script, "--quiet"], ["list"], ["status"], ["--no-such-flag"], ["--help"]]) {
      run(words, { KEEP_CODE_OF: "all" });
    }
    for (const words of [["tour"], prompt, ["cost"], ["resume", "latest"], ["prune"], ["stop", "latest"]]) {
      run(words, { KEEP_CODE_OF: "new" });
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
