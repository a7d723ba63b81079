import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "../../core/json-object.ts";
import type { SessionId } from "../../core/machine/agent.ts";
import { sessionsOf } from "../../core/machine/baselines.ts";
import type { Event } from "../../core/machine/event.ts";
import type { Recollection } from "../../core/machine/recollection.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import type { PastCall } from "../../ports/backend.ts";
import type { Observer } from "../../ports/observer.ts";
import { filesIn, withoutEnding } from "./beside.ts";
import type { IncrementalCopies } from "./incremental-copy.ts";
import { textAt } from "./json.ts";
import { lineIds, readAll, readLines } from "./read-transcript.ts";
import { RecollectionReader, writtenSince } from "./recollection-reader.ts";
import { clientHome, findTranscript, sizeOf } from "./transcript-place.ts";

export interface TranscriptCopiesOptions {
  /** The environment that the client gets: it says where the client keeps its own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** Where the copies lie: in the run's own folder. Made when the first comes. */
  readonly folder: string;
  readonly files: IncrementalCopies;
  /** Called at most once, when a conversation cannot be copied or put back. */
  warn(message: string): void;
}

/**
 * The run's copies of its conversations. T1: what is done for one session is
 * done in order, one thing at a time. T2: copying costs a step nothing, and
 * what it fails at is one warning. T3: a copy stays for as long as an agent
 * that lives may come back to its conversation.
 */
export class TranscriptCopies implements Observer {
  readonly #options: TranscriptCopiesOptions;
  /** What is under way, by session. */
  readonly #work = new Map<SessionId, Promise<unknown>>();
  /** Sessions that were copied by this process. */
  readonly #copied = new Set<SessionId>();
  #tidying: Promise<void> = Promise.resolve();
  #warned = false;

  constructor(options: TranscriptCopiesOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /**
   * Makes the client's transcript whole again, where it is gone or cut and there is a copy. `cut`: neither
   * the transcript nor the copy is whole ({@link markCut}). Never rejects.
   */
  async putBack(session: SessionId, cwd: string): Promise<"there" | "put-back" | "gone" | "cut"> {
    const done = await this.#after(session, async () => {
      if ((await sizeOf(this.#markOf(session))) !== null) return "cut";
      const place = await this.#find(session, cwd);
      const copy = this.#copyOf(session);
      if (!(await this.#options.files.putBack(`${copy}.jsonl`, place.file))) {
        return place.size === null ? "gone" : "there";
      }
      const beside = withoutEnding(place.file);
      for (const file of await filesIn(copy)) {
        await this.#options.files.putBack(path.join(copy, file), path.join(beside, file));
      }
      return "put-back";
    });
    return done ?? "there";
  }

  /** What the client's transcript tells of a call, else the copy. Null where there is neither. Never rejects. */
  async recall(call: PastCall): Promise<Recollection | null> {
    const { session, cwd, byHand, model = null, contextTokens = 0 } = call;
    const done = await this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      const copy = this.#copyOf(session);
      const kept = await sizeOf(`${copy}.jsonl`);
      if (size === null && kept === null) return null;
      const lost = (size ?? -1) < (kept ?? 0);
      const { start, isOwn } = await this.#partOf(call);
      const reader = new RecollectionReader(isOwn, { model, chars: 0, contextTokens });
      // What was copied before the call began is not the call's.
      const isOlder = byHand !== true && !lost && kept !== null && kept < (size ?? 0);
      const skipped = start ?? (isOlder ? kept : 0);
      // The sizes of the copies tell what subagents wrote before the call, if they are of that time.
      const sides = start !== null && start === (kept ?? 0) ? copy : null;
      await readAll(
        lost ? `${copy}.jsonl` : file,
        skipped,
        reader,
        sides,
        writtenSince(call.since),
      );
      return reader.recollection(lost);
    });
    return done ?? null;
  }

  /** Where the lines of a call begin (null: not known), and which of them are its own. */
  async #partOf({ cwd, since: moment, part }: PastCall) {
    if (part === undefined) return { start: null, isOwn: writtenSince(moment) };
    if ("from" in part) return { start: part.from, isOwn: () => true };
    const source = await this.#find(part.copyOf, cwd);
    const copy = `${this.#copyOf(part.copyOf)}.jsonl`;
    const copied = await lineIds(source.size === null ? copy : source.file);
    if (copied === null) return { start: null, isOwn: writtenSince(moment) };
    return { start: null, isOwn: (line: JsonObject) => !copied.has(textAt(line, "uuid") ?? "") };
  }

  /** Whether the conversation has heard anything since it was so large. */
  async hasHeard(session: SessionId, cwd: string, since: number): Promise<boolean> {
    const done = await this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      if (size === null || size <= since) return false;
      const reader = new RecollectionReader(() => true);
      await readLines(file, since, reader.file());
      return reader.recollection(false).heard;
    });
    return done ?? false;
  }

  /** Bytes of the client's transcript; null where there is none. */
  async size(session: SessionId, cwd: string): Promise<number | null> {
    return (await this.#after(session, () => this.#find(session, cwd)))?.size ?? null;
  }

  /** Copies what the client has added to a session, in the background. */
  keep(session: SessionId, cwd: string): void {
    if (isPlain(session)) this.#copied.add(session);
    void this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      if (size !== null) await this.#copy(session, file);
    });
  }

  /** Records that a transcript was deleted or cut while a call added to it: the copy lacks that call. Never rejects. */
  async markCut(session: SessionId): Promise<void> {
    await this.#after(session, async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(this.#markOf(session), "", { mode: 0o600 });
    });
  }

  notify(event: Event, run: RunState): void {
    if (run.backend !== "claude") return;
    if (event.type === "run.resumed") this.#catchUp(run);
    if (event.type === "agent.moved") this.#dropUnused(run);
  }

  /** Resolves when all copies are up to date. Never rejects. */
  async close(): Promise<void> {
    await this.#tidying;
    while (this.#work.size > 0) await Promise.all(this.#work.values());
  }

  /** What a process that died had no time to copy or to delete. */
  #catchUp(run: RunState): void {
    const used = sessionsUsed(run);
    for (const agent of run.agents) {
      for (const session of sessionsOf(agent)) this.#keepMore(session, agent.cwd ?? run.launchDir);
    }
    this.#tidying = this.#tidying.then(async () => {
      const names = await readdir(this.folder).catch(() => []);
      for (const session of new Set(
        names.map((name) => name.replace(/\.(?:jsonl(?:\.new)?|cut)$/, "")),
      )) {
        if (!used.has(session) && !this.#copied.has(session)) this.#drop(session);
      }
    });
  }

  /** Before a call a transcript that has become shorter is a loss, and not the client's doing. */
  #keepMore(session: SessionId, cwd: string): void {
    if (isPlain(session)) this.#copied.add(session);
    void this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      const kept = await sizeOf(`${this.#copyOf(session)}.jsonl`);
      if (size !== null && size > (kept ?? 0)) await this.#copy(session, file);
    });
  }

  async #copy(session: SessionId, transcript: string): Promise<void> {
    const copy = this.#copyOf(session);
    await this.#options.files.keep(transcript, `${copy}.jsonl`);
    // What subagents said, and outputs too long for a message: the conversation names both.
    const beside = withoutEnding(transcript);
    for (const side of await filesIn(beside)) {
      await this.#options.files.keep(path.join(beside, side), path.join(copy, side));
    }
  }

  /** Only now and then, as baselines are: a few stale copies cost less than looking at each step. */
  #dropUnused(run: RunState): void {
    if (this.#copied.size <= 2 * run.agents.length + SPARE) return;
    const used = sessionsUsed(run);
    for (const session of this.#copied) if (!used.has(session)) this.#drop(session);
  }

  #drop(session: SessionId): void {
    if (!isPlain(session)) return;
    this.#copied.delete(session);
    void this.#after(session, async () => {
      const copy = this.#copyOf(session);
      for (const path of [`${copy}.jsonl`, `${copy}.jsonl.new`, this.#markOf(session), copy]) {
        await rm(path, { recursive: true, force: true });
      }
    });
  }

  /** T1. Resolves with what the work came to; undefined when it failed. */
  #after<T>(session: SessionId, work: () => Promise<T>): Promise<T | undefined> {
    if (!isPlain(session)) return Promise.resolve(undefined);
    const done = (this.#work.get(session) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => {
        this.#failed(error);
        return undefined;
      });
    this.#work.set(session, done);
    void done.then(() => {
      if (this.#work.get(session) === done) this.#work.delete(session);
    });
    return done;
  }

  #failed(error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.warn(
      `Conversations cannot all be kept in ${this.folder}, so the run depends on the client's own: ${reason}.`,
    );
  }

  #copyOf(session: SessionId): string {
    return path.join(this.folder, session);
  }

  #markOf(session: SessionId): string {
    return `${this.#copyOf(session)}.cut`;
  }

  #find(session: SessionId, cwd: string): ReturnType<typeof findTranscript> {
    const { env, home } = this.#options;
    return findTranscript(clientHome(env, home), cwd, session);
  }
}

/** Stale copies that are not worth looking for. */
const SPARE = 8;

function sessionsUsed(run: RunState): ReadonlySet<SessionId> {
  return new Set(run.agents.flatMap(sessionsOf));
}

/** Ids become file names, and one of them is the client's word. */
function isPlain(session: SessionId): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(session);
}
