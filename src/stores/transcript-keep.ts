import type { SessionId } from "../core/machine/agent.ts";

/** A file of a conversation. */
export interface TranscriptFile {
  readonly session: SessionId;
  /** Relative to what lies beside the conversation; empty: the conversation itself. */
  readonly name: string;
}

/**
 * Where the conversations of one run are kept for other machines, by whoever has the run. What one
 * writes that has lost it changes nothing that the other reads.
 */
export interface TranscriptKeep {
  /** The files beside a conversation that are kept, and how much of each. */
  beside(session: SessionId): Promise<ReadonlyMap<string, number>>;
  /** From this byte on a file is as this, and what stood there before is not. When it resolves it survives a power loss. */
  write(file: TranscriptFile, start: number, bytes: Buffer): Promise<void>;
  /** The first bytes of a file, in pieces; fewer than asked for where not all are there. */
  read(file: TranscriptFile, length: number): AsyncIterable<Buffer>;
  /** Forgets conversations to which nobody comes back. */
  drop(sessions: readonly SessionId[]): Promise<void>;
}
