/**
 * Where a run keeps what it owns besides its state: absolute paths, for steps
 * and people use these files by their names. Nothing need be there: who writes
 * a kind makes its file or folder, private to the owner, and one that is lost
 * must not stop the run. They stay until the store removes the run, and go with it.
 */
export interface Artifacts {
  /** The folder with the runs and settings of a project, in which all of this is stored. */
  readonly root: string;
  /** What has happened: a file. */
  readonly events: string;
  /** What led to each save: a file. */
  readonly journal: string;
  /** The process groups of its steps, while they live: a folder. */
  readonly groups: string;
  /** Control requests to the process that drives the run, until it has consumed them: a folder. */
  readonly requests: string;
  /** What persons have answered to its questions: a folder, which no answer is ever removed from. */
  readonly answers: string;
  /** Who has opened conversations of it by hand: a folder. */
  readonly openings: string;
  /** What its process has printed, where no terminal shows it: a file. */
  readonly output: string;
  /** Copies of its conversations: a folder. */
  readonly transcripts: string;
  /** The raw material of its steps: a folder. */
  readonly debug: string;
  /** Texts that are handed to a step as a file: a folder. */
  readonly payloads: string;
  /** The workflow of a run of a zip: the copy, and the folder that it is unpacked in. */
  readonly archive: { readonly packed: string; readonly unpacked: string };
  /** Copies of other workflows that it has entered, by their hashes: a folder. */
  readonly workflows: string;
}
