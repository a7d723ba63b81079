import type { ListEvents, RunsJson } from "../api.ts";
import { folderJson, type ServedFolder } from "../server/served-folder.ts";
import { type EventSource, printEvent } from "./event-stream.ts";
import { IDLE_FACTOR, Listeners } from "./listeners.ts";

type Folders = RunsJson["folders"];

/** Polls the lists of all folders, once for all clients, and only while there is a listener. */
export class ListWatch {
  readonly #of: readonly ServedFolder[];
  readonly #listeners = new Listeners(async () => {
    await this.current();
    if (this.#revision === this.#notified) return;
    this.#notified = this.#revision;
    this.#listeners.notify();
  }, POLL_MS);
  #folders: Folders = [];
  #text = "";
  #revision = 0;
  /** The revision of the last notification. */
  #notified = 0;
  #loading: Promise<void> | null = null;
  /** Of `performance`. */
  #freshUntil = 0;

  constructor(of: readonly ServedFolder[]) {
    this.#of = of;
  }

  /** The runs of all folders, at most a moment old. */
  async current(): Promise<Folders> {
    if (performance.now() >= this.#freshUntil) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = null;
      });
      await this.#loading;
    }
    return this.#folders;
  }

  /** Change events for one client. */
  events(): EventSource {
    let sent = -1;
    return {
      subscribe: (listener) => this.#listeners.subscribe(listener),
      next: async () => {
        await this.current();
        if (sent === this.#revision) return null;
        sent = this.#revision;
        return { text: printEvent("changed" satisfies keyof ListEvents, {}, null), over: false };
      },
    };
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
