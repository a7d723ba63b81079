/** The ref of files that a restore has replaced. It does not belong to the run: `raymond prune` keeps it. */
export function savedRef(run: string, at: number | string): string {
  return `refs/raymond-saved/${run}/${String(at)}`;
}

/**
 * The ref of snapshots of a run: `main` is for users and has those of its own folder. In a fleet each claim has
 * one by its epoch, at the remote. `*`: a pattern for all.
 */
export function refOf(run: string, name: string | number = "main"): string {
  return `refs/raymond/${run}/${String(name)}`;
}
