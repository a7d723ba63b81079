/**
 * Absolute paths of the files and folders of a run besides its state. They may not exist: the
 * writer creates its file or folder, private to the owner. A lost artifact must not stop the run.
 * The store removes them with the run.
 */
export interface Artifacts {
  /** The state folder: runs and settings of a project. */
  readonly root: string;
  /** File: the event log. */
  readonly events: string;
  /** File: the inputs that led to each save. */
  readonly journal: string;
  /** Folder: the process groups of running steps. */
  readonly groups: string;
  /** Folder: pending control requests to the owner of the run. */
  readonly requests: string;
  /** Folder: answers to questions. Answers are never removed. */
  readonly answers: string;
  /** Folder: manual sessions. */
  readonly manualSessions: string;
  /** File: state files that changed during the run and that no step has used since. */
  readonly changedFiles: string;
  /** File: the output of a detached process. */
  readonly output: string;
  /** Folder: copies of conversations. */
  readonly transcripts: string;
  /** Folder: git directories of raymond with the index files of snapshots. */
  readonly snapshots: string;
  /** Folder: debug files of steps. */
  readonly debug: string;
  /** Folder: payloads that are passed to steps as files. */
  readonly payloads: string;
  /** The workflow of a run of a zip: the copy, and the folder that it is unpacked to. */
  readonly archive: { readonly packed: string; readonly unpacked: string };
  /** Folder: copies of other workflows that the run has entered, by hash. */
  readonly workflows: string;
}
