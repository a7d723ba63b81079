/** The person or service that gave a command. The system reports it, never a model or a workflow. */
export interface Actor {
  /** Login name; null: the system has none for this user. */
  readonly user: string | null;
  readonly host: string | null;
  /** Where the command came from. */
  readonly via: (typeof ACTED_VIA)[number];
  /** The user who called sudo, if any. */
  readonly sudoUser?: string | undefined;
}

/** `file`: a file with answers, for tests. `worker`: a worker of a fleet acts on its own. */
export const ACTED_VIA = ["terminal", "command", "dashboard", "file", "worker"] as const;
