import type { AgentId, SessionId } from "../../machine/model/agent.ts";

/** A person who requested, has open, or has closed the conversation of an agent. */
export interface ManualSession {
  readonly agent: AgentId;
  /** Start of the session, epoch ms; unique per agent. */
  readonly at: number;
  /**
   * The conversation and the folder in which it was opened; null while the agent is still working.
   */
  readonly opened: { readonly session: SessionId; readonly cwd: string } | null;
  /** Interrupt a running step of the agent. */
  readonly now: boolean;
  /** The session is open, or cannot be checked from this machine. */
  readonly open: boolean;
}

/**
 * The manual sessions of a run (docs/cli.md, "raymond open"). The process that opens a session
 * records it; the record survives the death of that process and of the run's owner.
 */
export interface ManualSessions {
  /**
   * All records; a closed session is listed until it is removed. Never rejects: unreadable records
   * are skipped.
   */
  readonly list: () => Promise<readonly ManualSession[]>;
  /** Removes the record of a closed session. Never rejects. */
  readonly remove: (visit: ManualSession) => Promise<void>;
}
