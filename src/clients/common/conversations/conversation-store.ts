import type { PastCall } from "../../../engine/ports/backend.ts";
import type { SessionId } from "../../../machine/model/agent.ts";
import type { RecoveredSession } from "../../../machine/model/recovered-session.ts";
import type { ConversationPlace } from "./conversation-files.ts";

/**
 * How a client stores conversations: one `.jsonl` file each, to which the client only appends. More files of a
 * conversation, if any, are in a folder of the same name without `.jsonl`.
 */
export interface ConversationStore {
  readonly backend: string;
  /** Finds a conversation. `cwd`: the folder of its calls. */
  find(session: SessionId, cwd: string): Promise<ConversationPlace>;
  /** Reads one call from the files of its conversation. Rejects if they cannot be read. */
  read(call: PastCall, files: CallFiles): Promise<RecoveredSession>;
  /** Whether a file contains a prompt from byte `since` on. Rejects if it cannot be read. */
  hasPrompt(file: string, since: number): Promise<boolean>;
  /**
   * Whether a file contains a complete line from byte `since` on that the client stores for a prompt. A command of the
   * client is one too. A client does not continue a file without such a line, or would continue without the prompt.
   */
  hasInput(file: string, since: number): Promise<boolean>;
  /** Changes complete lines of a conversation to those of a copy with the id `as`. */
  renamed(as: SessionId, session: SessionId): (lines: string) => string;
}

export interface CallFiles {
  /** The client's file, or the run's copy if the client has lost it. */
  readonly file: string;
  /** The client's file is missing or shorter than the run's copy. */
  readonly lost: boolean;
  /** Bytes of the client's file; null if it does not exist. */
  readonly size: number | null;
  /** Bytes of the run's copy; null if there is none. */
  readonly kept: number | null;
  /** The folder of the run's copy with more files of the conversation. It may not exist. */
  readonly copy: string;
  /** The file of the conversation that a branch copied; null for other calls. */
  readonly source: string | null;
}
