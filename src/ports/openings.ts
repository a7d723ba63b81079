import type { AgentId, SessionId } from "../core/machine/agent.ts";

/** A person who wants the conversation of an agent, has it open, or has left it. */
export interface Visit {
  readonly agent: AgentId;
  /** When they came, epoch ms: no two of an agent have the same. */
  readonly at: number;
  /** The conversation, and the folder that it was opened in; null while the agent still works. */
  readonly opened: { readonly session: SessionId; readonly cwd: string } | null;
  /** A step of its that runs is to be interrupted. */
  readonly now: boolean;
  /** They are there, or it cannot be seen from here whether they are. */
  readonly open: boolean;
}

/**
 * Who has opened conversations of a run by hand (docs/cli.md, "raymond open"). It is
 * written down by whoever opens one, and lives on where they, or whoever drives the run, die.
 */
export interface Openings {
  /** All of them: who has left stays until that is heard. Never rejects: what cannot be read is not there. */
  readonly list: () => Promise<readonly Visit[]>;
  /** Forgets one that has left, and was heard. Never rejects. */
  readonly forget: (visit: Visit) => Promise<void>;
}
