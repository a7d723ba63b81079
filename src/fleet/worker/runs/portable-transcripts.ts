import { mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { sizeOf } from "../../../clients/claude/transcripts/transcript-place.ts";
import type { SessionId } from "../../../machine/agent.ts";
import {
  conversationsOf,
  type UpdatedConversation,
  updatedConversations,
} from "../../../machine/record/updated-conversations.ts";
import type { RunId, RunState } from "../../../machine/run-state.ts";
import type { TranscriptStore } from "../../../storage/transcript-store.ts";
import type { LocateConversation } from "../../../wire/backends.ts";
import type { OpenJournal, RunSource } from "../../../wire/run-source.ts";
import { restoreConversation } from "../../conversations/restore-conversation.ts";
import { Shipped, shipConversation } from "../../conversations/ship-conversation.ts";
import { transcriptFolder } from "../../conversations/transcript-folder.ts";
import { fleetErrors } from "../../errors.ts";
import type { Database } from "../../store/database.ts";
import type { Sessions } from "../../store/rows/placement.ts";
import {
  type ConversationLengths,
  conversationLengths,
  transcriptTable,
} from "../../store/rows/transcripts.ts";

/*
 * How the conversations of a run travel:
 *
 * T1  What a save builds on of a conversation is kept before the save, and how much that is is noted
 *     with the number of the save. So every state that is saved finds all that it needs.
 * T2  What was kept for a save that never came is behind that length: whoever takes the run cuts there,
 *     and forgets what was noted for later saves.
 * T3  Of two that believe to have the run only the one with the later epoch notes anything, and what the
 *     other keeps changes nothing that this one reads.
 */

/** What the conversations of one run travel by. */
export interface TranscriptOptions {
  readonly keep: TranscriptStore;
  readonly lengths: ConversationLengths;
  readonly locate: LocateConversation;
}

/** The folder of a run's conversations in a folder that all machines share. */
export function transcriptsFolderOf(folder: string, id: RunId): string {
  return path.join(folder, id);
}

/** Rejects if the folder does not exist on this machine. */
export async function openTranscripts(
  sessions: Exclude<Sessions, { kind: "home" }>,
  id: RunId,
  epoch: number,
  database: Database,
): Promise<Pick<TranscriptOptions, "keep" | "lengths">> {
  const lengths = conversationLengths(database, id, epoch);
  if (sessions.kind === "pg") return { lengths, keep: transcriptTable(database, id, epoch) };
  // A mount that is missing must not become a folder of this machine.
  const found = await stat(sessions.folder).catch(() => null);
  if (found?.isDirectory() !== true)
    throw fleetErrors["fleet/sessions-folder-gone"](sessions.folder);
  return { lengths, keep: transcriptFolder(transcriptsFolderOf(sessions.folder, id), epoch) };
}

/** A store that keeps what a save of this run builds on before it (T1); `known`: what is kept already. */
export function storeWithTranscripts<S extends RunSource>(
  store: S,
  known: ReadonlyMap<SessionId, number>,
  { keep, lengths, locate }: TranscriptOptions,
): S {
  const shipped = new Shipped(known);
  let waiting: readonly {
    readonly save: number;
    readonly grown: readonly UpdatedConversation[];
  }[] = [];

  async function ship(save: number): Promise<void> {
    const due = waiting.filter((each) => each.save <= save);
    const noted = new Map<SessionId, number>();
    for (const conversation of due.flatMap(({ grown }) => grown)) {
      const { session } = conversation;
      const before = shipped.lengths.get(session);
      const length = await shipConversation(conversation, shipped, keep, locate);
      if (length !== null && length !== before) noted.set(session, length);
    }
    if (noted.size > 0) await lengths.note(save, noted);
    waiting = waiting.filter((each) => !due.includes(each));
  }
  /** Only now and then, and at the end: a few that nobody needs cost less than looking at each step. */
  async function dropUnused(run: RunState): Promise<void> {
    const few = run.agents.length === 0 ? 0 : 2 * run.agents.length + SPARE;
    if (shipped.lengths.size <= few) return;
    const used = conversationsOf(run);
    const unused = [...shipped.lengths.keys()].filter((session) => !used.has(session));
    if (unused.length === 0) return;
    await lengths.drop(unused);
    await keep.drop(unused);
    for (const session of unused) shipped.forget(session);
  }
  const recording = (journal: OpenJournal): OpenJournal => ({
    ...journal,
    append: (record, run) => {
      const grown = updatedConversations(record, run);
      if (grown.length > 0) waiting = [...waiting, { save: record.save, grown }];
      journal.append(record, run);
    },
  });
  return {
    ...store,
    save: async (run, expected) => {
      await ship(run.saves);
      await store.save(run, expected);
      await dropUnused(run);
    },
    openJournal: async (id, warn) => recording(await store.openJournal(id, warn)),
  };
}

const SPARE = 8;

/** What a run is given back on the machine that takes it. */
export interface RestoreOptions {
  readonly run: RunState;
  /** Another machine may have had it since this one did, or this one never did. */
  readonly elsewhere: boolean;
  /** The run's own copies of its conversations on this machine. */
  readonly copies: string;
  readonly aside: string;
}

/**
 * Makes the conversations of a run be what its state builds on (T2): all of them where another machine may
 * have had it, else those that this one has lost. Returns how much of each is kept.
 */
export async function restoreConversations(
  { run, elsewhere, copies, aside }: RestoreOptions,
  { keep, lengths, locate }: TranscriptOptions,
): Promise<ReadonlyMap<SessionId, number>> {
  const known = await lengths.upTo(run.saves);
  for (const [session, cwd] of conversationsOf(run)) {
    const length = known.get(session);
    if (length === undefined) continue;
    const own = path.join(copies, session);
    const place = await locate(session, cwd);
    if (!elsewhere && (await hasAll(length, [place.file, `${own}.jsonl`]))) continue;
    await mkdir(path.dirname(place.file), { recursive: true, mode: 0o700 });
    await restoreConversation(session, length, keep, { ...place, aside });
    // Of another life of the run, and nothing that is to be put back.
    for (const copy of [`${own}.jsonl`, own]) await rm(copy, { recursive: true, force: true });
  }
  return known;
}

async function hasAll(length: number, files: readonly string[]): Promise<boolean> {
  const sizes = await Promise.all(files.map(sizeOf));
  return sizes.some((size) => size !== null && size >= length);
}
