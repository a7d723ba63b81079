/** A process that runs, with all that it has started. */
export interface ProcessTree {
  /** Also the id of its process group on Unix. */
  readonly pid: number;
  readonly token: string;
  /** False as soon as its end has been noticed: from then on its pid means nothing. */
  readonly running: () => boolean;
  /** Resolves when its end has been noticed. */
  readonly exited: Promise<void>;
  /** Ends the process itself, by what the system has at hand for its parent. */
  readonly kill: () => void;
}
