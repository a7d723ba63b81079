import type { ListEvents, RunsJson } from "../api.ts";
import { folderJson, type ServedFolder } from "../server/served-folder.ts";
import { type EventSource, printEvent } from "./event-stream.ts";

type Folders = RunsJson["folders"];

/** Polls the lists of all folders, once for all clients, and only while there is a listener. */
export class ListWatch {
  readonly #of: readonly ServedFolder[];
  readonly #listeners = new Set<() => void>();
  #folders: Folders = [];
  #text = "";
  #revision = 0;
  #loading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #freshUntil = 0;

  constructor(of: readonly ServedFolder[]) {
    this.#of = of;
  }

  /** The runs of all folders, at most a moment old. */
  async current(): Promise<Folders> {
    if (performance.now() >= this.#freshUntil) await this.#reload();
    return this.#folders;
  }

  /** Change events for one client. */
  events(): EventSource {
    let sent = -1;
    return {
      subscribe: (listener) => this.#subscribe(listener),
      next: async () => {
        await this.current();
        if (sent === this.#revision) return null;
        sent = this.#revision;
        const name: keyof ListEvents = "changed";
        return { text: printEvent(name, "{}", null), over: false };
      },
    };
  }

  #subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#schedule();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearTimeout(this.#timer);
      this.#timer = null;
    };
  }

  #schedule(): void {
    const wait = Math.max(POLL_MS, this.#freshUntil - performance.now());
    this.#timer ??= setTimeout(() => void this.#tick(), wait).unref();
  }

  async #tick(): Promise<void> {
    const before = this.#revision;
    await this.#reload();
    this.#timer = null;
    if (this.#listeners.size > 0) this.#schedule();
    if (this.#revision !== before) for (const listener of this.#listeners) listener();
  }

  async #reload(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    await this.#loading;
  }

  async #load(): Promise<void> {
    const started = performance.now();
    const folders = await Promise.all(this.#of.map((of, at) => folderJson(of, this.#folders[at])));
    const text = JSON.stringify(folders);
    if (text !== this.#text) this.#revision += 1;
    this.#folders = folders;
    this.#text = text;
    const ms = performance.now() - started;
    this.#freshUntil = performance.now() + Math.max(FRESH_MS, ms * IDLE_FACTOR);
  }
}

const POLL_MS = 1_500;
const FRESH_MS = 300;
/** Idle time after a load, as a multiple of its duration: limits the CPU share to a tenth. */
const IDLE_FACTOR = 9;
