/** What is told where the process that holds a run was told something, and shows nothing of it. */
export function notReacted({ id, pid, next }: Unmoved): string {
  return `The process ${String(pid)}, which holds ${id}, has not reacted. ${next} shows where it stands.`;
}

interface Unmoved {
  readonly id: string;
  readonly pid: number;
  /** The command that shows how the run stands. */
  readonly next: string;
}
