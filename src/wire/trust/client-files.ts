import { createHash } from "node:crypto";
import { createReadStream, type Dirent } from "node:fs";
import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import { gitEntryAbove } from "../../files/git-entry.ts";
import { isBelow } from "../../files/paths.ts";
import { LIMITS, openRegularFile, readTextFile } from "../../files/read-file.ts";
import { isMissing } from "../../language/basics/error-code.ts";
import { AGENTS } from "../agents/agents.ts";
import { clientPlace } from "../agents/client-place.ts";
import type { Caller } from "../caller.ts";
import { isOwnStateFolder } from "./state-folders.ts";
import type { Contents } from "./trusted.ts";

/** Folders whose files a coding agent obeys: settings, hooks, servers, skills, commands, subagents, extensions. */
const FOLDERS: ReadonlySet<string> = new Set([".claude", ".codex", ".pi", ".agents"]);
const SERVERS = ".mcp.json";

/**
 * The files of a project that a coding agent could obey in a working folder, by their absolute path without links
 * (docs/trust.md, "Files of coding agents"): those of the folder, of all folders above it, of all folders below it, where
 * clients find skills, and of the main worktree of a linked one. The user's own folders of the clients are not part of a
 * project. No file is interpreted. Never rejects.
 */
export async function clientFiles(cwd: string, { env }: Pick<Caller, "env">): Promise<Contents> {
  const folder = await realpath(cwd).catch(() => cwd);
  const walk = new Walk(await ownFolders(env), env);
  const main = await mainWorktree(folder);
  for (const each of [...parentsOf(folder), ...(main === null ? [] : [main])])
    await walk.addIn(each);
  await walk.addBelow(folder);
  return walk.found;
}

/** Folders above, up to the root. */
export function parentsOf(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

/** With and without links. A relative folder could make the project itself the folder of the user. */
async function ownFolders(env: Caller["env"]): Promise<ReadonlySet<string>> {
  const place = clientPlace(env);
  const usual = [...FOLDERS].map((name) => path.join(place.home, name));
  const set = AGENTS.map(({ project }) => project.own(place)).filter((each) =>
    path.isAbsolute(each),
  );
  const named = [...usual, ...set].map((each) => path.resolve(each));
  const real = await Promise.all(named.map((each) => realpath(each).catch(() => each)));
  return new Set([...named, ...real]);
}

/** In a linked worktree `.git` is a file that leads to the repository. Null if there is no other worktree. */
async function mainWorktree(folder: string): Promise<string | null> {
  try {
    const entry = gitEntryAbove(folder);
    if (entry === null) return null;
    const pointer = await readTextFile(entry, LIMITS.small);
    const [, target = null] = /^gitdir: (.+)$/m.exec(pointer) ?? [];
    if (target === null) return null;
    const gitDir = path.resolve(path.dirname(entry), target);
    const common = (await readTextFile(path.join(gitDir, "commondir"), LIMITS.small)).trim();
    const repository = path.resolve(gitDir, common);
    return path.basename(repository) === ".git" ? path.dirname(repository) : null;
  } catch {
    return null;
  }
}

/** Beyond these limits a folder counts as one that cannot be checked. */
const MOST_ENTRIES = 100_000;
const MOST_BYTES = 8 * 2 ** 30;
const AT_ONCE = 32;

class Walk {
  readonly found = new Map<string, string | null>();
  readonly #own: ReadonlySet<string>;
  readonly #env: Caller["env"];
  /** Links can form cycles. */
  readonly #added = new Set<string>();
  #entries = 0;
  #bytes = 0;

  constructor(own: ReadonlySet<string>, env: Caller["env"]) {
    this.#own = own;
    this.#env = env;
  }

  /** A file, or all files of a folder. A link is followed, and its target belongs to the content. */
  async add(place: string): Promise<void> {
    if (this.#own.has(place) || this.found.has(place) || this.#isOver(place)) return;
    try {
      const entry = await lstat(place);
      if (entry.isSymbolicLink()) {
        this.found.set(place, `link to ${await readlink(place)}`);
        await this.add(await realpath(place));
      } else if (entry.isDirectory()) await this.#addFolder(place);
      else this.found.set(place, await this.#hash(place, entry.size));
    } catch (error) {
      if (!isMissing(error)) this.found.set(place, null);
    }
  }

  async #addFolder(folder: string): Promise<void> {
    if (this.#added.has(folder)) return;
    this.#added.add(folder);
    for (const name of await readdir(folder)) {
      // Claude Code keeps whole checkouts there. `addBelow` searches them like other folders.
      if (name === WORKTREES && path.basename(folder) === ".claude") continue;
      await this.add(path.join(folder, name));
    }
  }

  async addIn(folder: string): Promise<void> {
    for (const name of [...FOLDERS, SERVERS]) await this.add(path.join(folder, name));
  }

  /** The same for all folders below. Behind a link that leads elsewhere, only those of the folder itself. */
  async addBelow(top: string): Promise<void> {
    for (let folders = [top]; folders.length > 0; ) {
      const batch = folders.splice(-AT_ONCE);
      if (batch.some(() => this.#isOver(top))) return;
      for (const entry of (await Promise.all(batch.map(entriesOf))).flat()) {
        const place = path.join(entry.parentPath, entry.name);
        const name = entry.name.toLowerCase();
        if (FOLDERS.has(name) || name === SERVERS) {
          await this.add(place);
          folders.push(path.join(place, WORKTREES));
        } else if (entry.isSymbolicLink()) {
          const real = await realpath(place).catch(() => top);
          if (!isBelow(top, real)) await this.addIn(real);
        } else if (entry.isDirectory() && !(await this.#isState(place))) folders.push(place);
      }
    }
  }

  /** raymond's own folder of runs can be large, and clients must not write there. */
  async #isState(folder: string): Promise<boolean> {
    return path.basename(folder) === ".raymond" && (await isOwnStateFolder(folder, this.#env));
  }

  #isOver(place: string): boolean {
    this.#entries += 1;
    if (this.#entries === MOST_ENTRIES) this.found.set(place, null);
    return this.#entries >= MOST_ENTRIES;
  }

  async #hash(file: string, size: number): Promise<string | null> {
    this.#bytes += size;
    if (this.#bytes > MOST_BYTES) return null;
    const hash = createHash("sha256");
    const stream = createReadStream("", { fd: openRegularFile(file), end: size });
    stream.on("data", (chunk) => hash.update(chunk));
    await finished(stream);
    return hash.digest("hex");
  }
}

const WORKTREES = "worktrees";

/** The client, which has the same user, cannot enter a folder without permission either. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
