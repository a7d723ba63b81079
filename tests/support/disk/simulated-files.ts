import path from "node:path";

interface File {
  bytes: Buffer;
  /** Content after a power loss; null: never synced, any content. */
  synced: Buffer | null;
}

interface Folder {
  readonly names: Map<string, Node>;
  readonly synced: Map<string, Node>;
  /** Changes of names since the last sync, in order. */
  changes: Change[];
}

type Node = File | Folder;
type Change = ReadonlyMap<string, Node | null>;

/** A file tree that tracks what a power loss preserves. */
export class SimulatedFiles {
  readonly #chance: () => number;
  readonly #root = newFolder();
  readonly #stamps = new Map<Node | null, string>();

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  read(at: string): Buffer {
    return this.#file(at).bytes;
  }

  kind(at: string): "file" | "folder" | null {
    const node = this.#find(at);
    if (node === null) return null;
    return isFolder(node) ? "folder" : "file";
  }

  /** The inode number: stable across renames and hard links. */
  stamp(at: string): string {
    const node = this.#find(at);
    const stamp = this.#stamps.get(node) ?? String(this.#stamps.size);
    this.#stamps.set(node, stamp);
    return stamp;
  }

  /** Empty if there is no such folder. */
  names(at: string): readonly string[] {
    const node = this.#find(at);
    return node !== null && isFolder(node) ? [...node.names.keys()] : [];
  }

  /** Creates at most `most` missing folders. Returns the topmost new one, or null. */
  makeFolders(at: string, most: number = Number.POSITIVE_INFINITY): string | null {
    const missing: string[] = [];
    for (let each = at; this.#find(each) === null; each = path.dirname(each)) missing.unshift(each);
    if (this.kind(at) === "file") throw refusal("EEXIST", at);
    for (const each of missing.slice(0, most)) this.#set(each, newFolder());
    return missing[0] ?? null;
  }

  write(at: string, bytes: Buffer): void {
    if (this.#find(at) !== null) throw refusal("EEXIST", at);
    this.#set(at, { bytes, synced: null });
  }

  syncFile(at: string): void {
    const file = this.#file(at);
    file.synced = file.bytes;
  }

  link(at: string, name: string): void {
    const file = this.#file(at);
    if (this.#find(name) !== null) throw refusal("EEXIST", name);
    this.#set(name, file);
  }

  /** Atomic within one folder. */
  rename(from: string, to: string): void {
    const file = this.#file(from);
    change(
      this.#parent(from),
      new Map<string, Node | null>([
        [path.basename(from), null],
        [path.basename(to), file],
      ]),
    );
  }

  remove(at: string): void {
    if (this.#find(at) !== null) this.#set(at, null);
  }

  /** Removes all entries that the predicate accepts. Non-empty folders remain. */
  removeTree(at: string, allowed: () => boolean): void {
    for (const name of this.names(at)) this.removeTree(path.join(at, name), allowed);
    if (this.names(at).length === 0 && allowed()) this.remove(at);
  }

  syncFolder(at: string): void {
    const folder = this.#folder(at);
    for (const each of folder.changes) apply(each, folder.synced);
    folder.changes = [];
  }

  losePower(): void {
    this.#lose(this.#root, new Set());
  }

  #lose(node: Node, seen: Set<Node>): void {
    if (seen.has(node)) return;
    seen.add(node);
    if (!isFolder(node)) {
      node.synced ??= this.#torn(node.bytes);
      node.bytes = node.synced;
      return;
    }
    for (const each of node.changes) if (this.#chance() % 2 === 0) apply(each, node.synced);
    node.changes = [];
    node.names.clear();
    apply(node.synced, node.names);
    for (const each of node.names.values()) this.#lose(each, seen);
  }

  #torn(bytes: Buffer): Buffer {
    const length = this.#chance() % (bytes.length + 1);
    return this.#chance() % 2 === 0 ? bytes.subarray(0, length) : Buffer.alloc(length);
  }

  #set(at: string, node: Node | null): void {
    change(this.#parent(at), new Map([[path.basename(at), node]]));
  }

  #find(at: string): Node | null {
    let node: Node | null = this.#root;
    for (const name of at.split(path.sep).filter((each) => each !== "")) {
      node = node !== null && isFolder(node) ? (node.names.get(name) ?? null) : null;
    }
    return node;
  }

  #parent(at: string): Folder {
    return this.#folder(path.dirname(at));
  }

  #folder(at: string): Folder {
    const node = this.#find(at);
    if (node === null) throw refusal("ENOENT", at);
    if (!isFolder(node)) throw refusal("ENOTDIR", at);
    return node;
  }

  #file(at: string): File {
    const node = this.#find(at);
    if (node === null) throw refusal("ENOENT", at);
    if (isFolder(node)) throw refusal("EISDIR", at);
    return node;
  }
}

function newFolder(): Folder {
  return { names: new Map(), synced: new Map(), changes: [] };
}

function isFolder(node: Node): node is Folder {
  return "names" in node;
}

function change(folder: Folder, what: Change): void {
  apply(what, folder.names);
  folder.changes.push(what);
}

function apply(what: Change, names: Map<string, Node>): void {
  for (const [name, node] of what) {
    if (node === null) names.delete(name);
    else names.set(name, node);
  }
}

function refusal(code: string, at: string): Error {
  return Object.assign(new Error(`${code}: ${at}`), { code });
}
