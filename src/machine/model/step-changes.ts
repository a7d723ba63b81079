/** What a step attempt changed in the git working tree of its agent. */
export interface StepChanges {
  /** The snapshots before and after the attempt: commits. Equal: nothing changed. */
  readonly base: string;
  readonly snapshot: string;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** Steps of other agents worked in the same tree: their changes are included. Absent: none. */
  readonly shared?: true | undefined;
}
