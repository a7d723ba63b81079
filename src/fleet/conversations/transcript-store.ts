import type { SessionId } from "../../machine/model/agent.ts";

/** A file of a conversation in the store. */
export interface TranscriptFile {
  readonly session: SessionId;
  /** Relative to the folder of the conversation; empty: the conversation itself. */
  readonly name: string;
}

/**
 * Stores the conversations of one run for other machines. Writes of a process that has lost the run have no effect on
 * what its new owner reads.
 */
export interface TranscriptStore {
  /** The stored files of a conversation, with their sizes in bytes. */
  files(session: SessionId): Promise<ReadonlyMap<string, number>>;
  /** Replaces a file from byte `start` on. When it resolves, the bytes survive a power loss. */
  write(file: TranscriptFile, start: number, bytes: Buffer): Promise<void>;
  /** The first `length` bytes of a file, or fewer if the file is shorter. */
  read(file: TranscriptFile, length: number): AsyncIterable<Buffer>;
  /** Deletes conversations that no agent will resume. */
  drop(sessions: readonly SessionId[]): Promise<void>;
}
