import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isSimulated, type PastCall } from "../../../engine/ports/backend.ts";
import type { Observer } from "../../../engine/ports/observer.ts";
import type { Redaction } from "../../../engine/ports/redaction.ts";
import { warnOnce } from "../../../language/basics/warn-once.ts";
import type { SessionId } from "../../../machine/model/agent.ts";
import type { Event } from "../../../machine/model/event.ts";
import { ownerOf } from "../../../machine/model/owners.ts";
import type { RecoveredSession } from "../../../machine/model/recovered-session.ts";
import type { RunState } from "../../../machine/model/run-state.ts";
import { sessionsOf } from "../../../machine/spend/baselines.ts";
import {
  type ConversationPlace,
  eachFile,
  sizeOf,
  withoutEnding,
  writeProblem,
} from "./conversation-files.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { IncrementalCopies, Mask } from "./incremental-copy.ts";

export interface ConversationCopiesOptions {
  readonly store: ConversationStore;
  /** The folder of the copies, created on the first one. */
  readonly folder: string;
  readonly files: IncrementalCopies;
  /** Copies contain masks of the same length instead of their values, and recovered answers are redacted. */
  readonly secrets: Redaction;
  /** Called at most once, if a conversation cannot be copied or restored. */
  readonly warn: (message: string) => void;
}

export interface WriteProblem {
  readonly file: string;
  readonly reason: string;
}

/**
 * The run's copies of its conversations.
 *
 * T1  Operations on one session run one at a time, in order.
 * T2  Steps do not wait for copies. The first failure is one warning.
 * T3  A copy is kept as long as a live agent may resume its conversation.
 */
export class ConversationCopies implements Observer {
  readonly #options: ConversationCopiesOptions;
  /** Operations in progress, by session. */
  readonly #work = new Map<SessionId, Promise<unknown>>();
  /** Sessions copied by this process. */
  readonly #copied = new Set<SessionId>();
  #cleanup: Promise<void> = Promise.resolve();
  readonly #failed: (error: unknown) => void;

  constructor(options: ConversationCopiesOptions) {
    this.#options = options;
    this.#failed = warnOnce(
      options.warn,
      (reason) =>
        `Cannot copy all conversations to ${this.folder}, so the run depends on the client's own files: ${reason}.`,
    );
  }

  get folder(): string {
    return this.#options.folder;
  }

  /**
   * Restores the client's transcript from the copy if it is missing, truncated or without a prompt. `cut`: the copy is
   * incomplete as well ({@link markCut}). `empty`: there is a transcript without a prompt, and no copy. Never rejects.
   */
  async putBack(
    session: SessionId,
    cwd: string,
  ): Promise<"there" | "put-back" | "gone" | "empty" | "cut"> {
    const done = await this.#after(session, async () => {
      if ((await sizeOf(this.#markOf(session))) !== null) return "cut";
      const place = await this.#find(session, cwd);
      const copy = this.#copyOf(session);
      const { files } = this.#options;
      const isEmpty = place.size !== null && !(await this.#hasInput(place.file, 0));
      if (isEmpty) {
        if (!(await this.#hasInput(`${copy}.jsonl`, 0))) return "empty";
        await rm(place.file, { force: true });
      }
      if (!(await files.putBack(`${copy}.jsonl`, place.file, this.#mask()))) {
        return place.size === null ? "gone" : "there";
      }
      await eachFile(copy, withoutEnding(place.file), (from, to) =>
        files.putBack(from, to, this.#mask()),
      );
      return "put-back";
    });
    return done ?? "there";
  }

  /** Reads a call in the client's file, or else in the copy. Null if there is neither. Never rejects. */
  async recall(call: PastCall): Promise<RecoveredSession | null> {
    const { session, cwd, part } = call;
    const { store, secrets } = this.#options;
    const done = await this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      const copy = this.#copyOf(session);
      const kept = await sizeOf(`${copy}.jsonl`);
      if (size === null && kept === null) return null;
      const lost = (size ?? -1) < (kept ?? 0);
      const source =
        part !== undefined && "copyOf" in part ? await this.#fileOf(part.copyOf, cwd) : null;
      const files = { file: lost ? `${copy}.jsonl` : file, lost, size, kept, copy, source };
      const found = withoutSecrets(await store.read(call, files), secrets);
      const isUnsent =
        part !== undefined && "from" in part && !(await this.#hasInput(files.file, part.from));
      return isUnsent ? { ...found, lost: true } : found;
    });
    return done ?? null;
  }

  /** The client's file, or the copy if there is none. */
  async #fileOf(session: SessionId, cwd: string): Promise<string> {
    const { file, size } = await this.#find(session, cwd);
    return size === null ? `${this.#copyOf(session)}.jsonl` : file;
  }

  /** Whether the conversation has received a prompt since it had `since` bytes. */
  async hasPromptSince(session: SessionId, cwd: string, since: number): Promise<boolean> {
    const done = await this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      if (size === null || size <= since) return false;
      return this.#options.store.hasPrompt(file, since);
    });
    return done ?? false;
  }

  /**
   * A client killed before it stored the prompt leaves a conversation without it. True if it cannot be examined, or is
   * deleted or truncated.
   */
  async hasInputSince(session: SessionId, cwd: string, since: number): Promise<boolean> {
    const done = await this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      return size === null || size < since || this.#hasInput(file, since);
    });
    return done ?? true;
  }

  async #hasInput(file: string, since: number): Promise<boolean> {
    if (((await sizeOf(file)) ?? 0) <= since) return false;
    return this.#options.store.hasInput(file, since);
  }

  /** Bytes of the client's transcript; null if there is none. */
  async size(session: SessionId, cwd: string): Promise<number | null> {
    return (await this.#after(session, () => this.#find(session, cwd)))?.size ?? null;
  }

  /** The client's file of a conversation, and why the client could not write it; null: it can. Never rejects. */
  async writeProblem(session: SessionId, cwd: string): Promise<WriteProblem | null> {
    const { file } = await this.#find(session, cwd);
    const reason = await writeProblem(file);
    return reason === null ? null : { file, reason };
  }

  /** The client has a folder of conversations, and no file of this one. */
  async isMissing(session: SessionId, cwd: string): Promise<boolean> {
    const { file, size } = await this.#find(session, cwd);
    return size === null && existsSync(path.dirname(path.dirname(file)));
  }

  /** Copies the new part of a conversation in the background. */
  keep(session: SessionId, cwd: string): void {
    if (isPlain(session)) this.#copied.add(session);
    void this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      if (size !== null) await this.#copy(session, file);
    });
  }

  /** Records that a transcript was deleted or truncated during a call, which the copy lacks. Never rejects. */
  async markCut(session: SessionId): Promise<void> {
    await this.#after(session, async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(this.#markOf(session), "", { mode: 0o600 });
    });
  }

  notify(event: Event, run: RunState): void {
    if (isSimulated(run.backend)) return;
    if (event.type === "run.resumed") this.#catchUp(run);
    if (event.type === "agent.moved") this.#dropUnused(run);
  }

  /** Resolves when all copies are up to date. Never rejects. */
  async close(): Promise<void> {
    await this.#cleanup;
    while (this.#work.size > 0) await Promise.all(this.#work.values());
  }

  /** Copies and deletes what a crashed process left undone. */
  #catchUp(run: RunState): void {
    const used = sessionsUsed(run);
    for (const agent of run.agents) {
      for (const session of sessionsOf(agent)) {
        if (ownerOf(run, session) !== this.#options.store.backend) continue;
        this.#keepIfLonger(session, agent.cwd ?? run.launchDir);
      }
    }
    this.#cleanup = this.#cleanup.then(async () => {
      const names = await readdir(this.folder).catch(() => []);
      for (const session of new Set(
        names.map((name) => name.replace(/\.(?:jsonl(?:\.new)?|cut)$/, "")),
      )) {
        if (!used.has(session) && !this.#copied.has(session)) this.#drop(session);
      }
    });
  }

  /** Before a call, a shorter transcript is a loss and must not replace the copy. */
  #keepIfLonger(session: SessionId, cwd: string): void {
    if (isPlain(session)) this.#copied.add(session);
    void this.#after(session, async () => {
      const { file, size } = await this.#find(session, cwd);
      const kept = await sizeOf(`${this.#copyOf(session)}.jsonl`);
      if (size !== null && size > (kept ?? 0)) await this.#copy(session, file);
    });
  }

  async #copy(session: SessionId, transcript: string): Promise<void> {
    if (!(await this.#hasInput(transcript, 0))) return;
    const copy = this.#copyOf(session);
    const { files } = this.#options;
    await files.keep(transcript, `${copy}.jsonl`, this.#mask());
    // The conversation references the transcripts of subagents and long tool outputs.
    await eachFile(withoutEnding(transcript), copy, (from, to) =>
      files.keep(from, to, this.#mask()),
    );
  }

  #mask(): Mask {
    const { secrets } = this.#options;
    return secrets.isEmpty ? null : (write) => secrets.mask(write);
  }

  /** Not at each step: a few unused copies cost less than the check. */
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

  /** T1. Resolves with the result of `work`; undefined if it failed. */
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

  #copyOf(session: SessionId): string {
    return path.join(this.folder, session);
  }

  #markOf(session: SessionId): string {
    return `${this.#copyOf(session)}.cut`;
  }

  #find(session: SessionId, cwd: string): Promise<ConversationPlace> {
    return this.#options.store.find(session, cwd);
  }
}

/** Unused copies that are tolerated. */
const SPARE = 8;

function sessionsUsed(run: RunState): ReadonlySet<SessionId> {
  return new Set(run.agents.flatMap(sessionsOf));
}

/** Ids become file names, and some come from the client. */
function isPlain(session: SessionId): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(session);
}

/** A call that contains a secret cannot be allowed: its exact text would be saved. */
function withoutSecrets(
  found: RecoveredSession,
  secrets: Pick<Redaction, "text">,
): RecoveredSession {
  const { answer, denials } = found;
  const masked = denials?.map(({ tool, input, exact }) => {
    const isSafe = exact !== undefined && secrets.text(exact) === exact;
    return { tool, input: secrets.text(input), ...(isSafe && { exact }) };
  });
  return {
    ...found,
    answer: answer === null ? null : secrets.text(answer),
    ...(masked !== undefined && { denials: masked }),
  };
}
