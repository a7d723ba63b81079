import { mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { sizeOf } from "../../../clients/common/conversations/conversation-files.ts";
import type { Mask } from "../../../clients/common/conversations/incremental-copy.ts";
import type { SessionId } from "../../../machine/model/agent.ts";
import { ownerOf } from "../../../machine/model/owners.ts";
import type { RunId, RunState } from "../../../machine/model/run-state.ts";
import {
  conversationsOf,
  type UpdatedConversation,
  updatedConversations,
} from "../../../machine/record/updated-conversations.ts";
import type { LocateConversation } from "../../../wire/backends.ts";
import type { OpenJournal, RunSource } from "../../../wire/run-source.ts";
import { restoreConversation } from "../../conversations/restore-conversation.ts";
import { Shipped, shipConversation } from "../../conversations/ship-conversation.ts";
import { transcriptFolder } from "../../conversations/transcript-folder.ts";
import type { TranscriptStore } from "../../conversations/transcript-store.ts";
import { fleetErrors } from "../../errors.ts";
import type { Database } from "../../store/database.ts";
import type { Sessions } from "../../store/rows/placement.ts";
import {
  type ConversationLengths,
  conversationLengths,
  transcriptTable,
} from "../../store/rows/transcripts.ts";

/*
 * How the conversations of a run move to other machines:
 *
 * T1  Before each save, the parts of conversations that the state depends on are stored, and their lengths
 *     are recorded with the number of the save. So every saved state finds its conversations.
 * T2  Parts that were stored for a save that never happened are beyond the recorded length. The next worker
 *     truncates them, and deletes lengths of later saves.
 * T3  If two processes believe that they own the run, only the one with the later epoch can record lengths,
 *     and it never reads parts that the other one stores.
 */

/** Where the conversations of one run are stored. */
interface TranscriptOptions {
  readonly keep: TranscriptStore;
  readonly lengths: ConversationLengths;
  readonly locate: LocateConversation;
}

/** The folder of a run's conversations in a folder that all machines share. */
export function transcriptsFolderOf(folder: string, id: RunId): string {
  return path.join(folder, id);
}

/** Rejects if the shared folder does not exist on this machine. */
export async function openTranscripts(
  sessions: Exclude<Sessions, { kind: "home" }>,
  id: RunId,
  epoch: number,
  database: Database,
): Promise<Pick<TranscriptOptions, "keep" | "lengths">> {
  const lengths = conversationLengths(database, id, epoch);
  if (sessions.kind === "pg") return { lengths, keep: transcriptTable(database, id, epoch) };
  // If the mount is missing, no local folder must take its place.
  const found = await stat(sessions.folder).catch(() => null);
  if (found?.isDirectory() !== true)
    throw fleetErrors["fleet/sessions-folder-gone"](sessions.folder);
  return { lengths, keep: transcriptFolder(transcriptsFolderOf(sessions.folder, id), epoch) };
}

/** A store that stores new parts of conversations before each save (T1). `known`: the stored lengths. */
export function storeWithTranscripts<S extends RunSource>(
  store: S,
  known: ReadonlyMap<SessionId, number>,
  { keep, lengths, locate }: TranscriptOptions,
): S {
  const shipped = new Shipped(known);
  let mask: Mask = null;
  let pending: readonly {
    readonly save: number;
    readonly updated: readonly (UpdatedConversation & { readonly owner: string })[];
  }[] = [];

  async function ship(save: number): Promise<void> {
    const due = pending.filter((each) => each.save <= save);
    const changed = new Map<SessionId, number>();
    for (const conversation of due.flatMap(({ updated }) => updated)) {
      const { session } = conversation;
      const before = shipped.lengths.get(session);
      const length = await shipConversation(conversation, shipped, keep, locate, mask);
      if (length !== null && length !== before) changed.set(session, length);
    }
    if (changed.size > 0) await lengths.note(save, changed);
    pending = pending.filter((each) => !due.includes(each));
  }
  /** At the end, and whenever there are many: a few unused ones cost less than a search at each step. */
  async function dropUnused(run: RunState): Promise<void> {
    const limit = run.agents.length === 0 ? 0 : 2 * run.agents.length + 8;
    if (shipped.lengths.size <= limit) return;
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
      const updated = updatedConversations(record, run).map((each) => ({
        ...each,
        owner: ownerOf(run, each.session),
      }));
      if (updated.length > 0) pending = [...pending, { save: record.save, updated }];
      journal.append(record, run);
    },
  });
  return {
    ...store,
    maskConversations: (given) => {
      mask = given;
    },
    save: async (run, expected) => {
      await ship(run.saves);
      await store.save(run, expected);
      await dropUnused(run);
    },
    openJournal: async (id, warn) => recording(await store.openJournal(id, warn)),
  };
}

interface RestoreOptions {
  readonly run: RunState;
  /** Another machine may have executed the run since this one did. */
  readonly elsewhere: boolean;
  /** The folder of the run's own copies of its conversations on this machine. */
  readonly copies: string;
  /** The folder for local conversations that are replaced. */
  readonly aside: string;
}

/**
 * Restores the conversations that the state of a run depends on (T2): all of them if another machine may have executed
 * it, else those that this machine has lost. Resolves with the stored lengths.
 */
export async function restoreConversations(
  { run, elsewhere, copies, aside }: RestoreOptions,
  { keep, lengths, locate }: TranscriptOptions,
): Promise<ReadonlyMap<SessionId, number>> {
  const known = await lengths.upTo(run.saves);
  for (const [session, cwd] of conversationsOf(run)) {
    const length = known.get(session);
    if (length === undefined) continue;
    const copy = path.join(copies, session);
    const place = await locate(session, cwd, ownerOf(run, session));
    if (place === null) continue;
    if (!elsewhere && (await hasAll(length, [place.file, `${copy}.jsonl`]))) continue;
    await mkdir(path.dirname(place.file), { recursive: true, mode: 0o700 });
    await restoreConversation(session, length, keep, { ...place, aside });
    // A stale copy must not replace the restored conversation.
    for (const file of [`${copy}.jsonl`, copy]) await rm(file, { recursive: true, force: true });
  }
  return known;
}

async function hasAll(length: number, files: readonly string[]): Promise<boolean> {
  const sizes = await Promise.all(files.map(sizeOf));
  return sizes.some((size) => size !== null && size >= length);
}
