import type { ListEvents, RunsJson } from "./api.ts";
import { type EventSource, printEvent } from "./event-stream.ts";
import { folderJson, type ServedFolder } from "./served-folder.ts";

type Folders = RunsJson["folders"];

/** One pair of eyes on the lists of all folders, for however many browsers. While nobody listens it does nothing. */
export class ListWatch {
  readonly #of: readonly ServedFolder[];
  readonly #listeners = new Set<() => void>();
  #folders: Folders = [];
  #text = "";
  #revision = 0;
  #looking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #freshUntil = 0;

  constructor(of: readonly ServedFolder[]) {
    this.#of = of;
  }

  /** The runs of all folders, as they were a moment ago at most. */
  async look(): Promise<Folders> {
    if (performance.now() >= this.#freshUntil) await this.#lookAnew();
    return this.#folders;
  }

  /** Tells one browser that some list has changed. */
  events(): EventSource {
    let told = -1;
    return {
      listen: (listener) => this.#listen(listener),
      next: async () => {
        await this.look();
        if (told === this.#revision) return null;
        told = this.#revision;
        const name: keyof ListEvents = "changed";
        return { text: printEvent(name, "{}", null), over: false };
      },
    };
  }

  #listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#plan();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearTimeout(this.#timer);
      this.#timer = null;
    };
  }

  /** The next look: the longer one takes, the rarer they are. */
  #plan(): void {
    const wait = Math.max(EVERY_MS, this.#freshUntil - performance.now());
    this.#timer ??= setTimeout(() => void this.#tick(), wait).unref();
  }

  async #tick(): Promise<void> {
    const before = this.#revision;
    await this.#lookAnew();
    this.#timer = null;
    if (this.#listeners.size > 0) this.#plan();
    if (this.#revision !== before) for (const listener of this.#listeners) listener();
  }

  async #lookAnew(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const began = performance.now();
    const folders = await Promise.all(this.#of.map((of, at) => folderJson(of, this.#folders[at])));
    const text = JSON.stringify(folders);
    if (text !== this.#text) this.#revision += 1;
    this.#folders = folders;
    this.#text = text;
    const took = performance.now() - began;
    this.#freshUntil = performance.now() + Math.max(FRESH_MS, took * REST);
  }
}

const EVERY_MS = 1_500;
const FRESH_MS = 300;
/** After a look that took so long, so many times as long there is none. */
const REST = 9;
