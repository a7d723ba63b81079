/** The message for a process that holds a run, is alive, and did not react to a request. */
export function notReacted({ id, pid, next }: Unmoved): string {
  return `Process ${String(pid)}, which holds ${id}, is alive but did not respond. Check its status with: ${next}`;
}

interface Unmoved {
  readonly id: string;
  readonly pid: number;
  /** The command that shows how the run stands. */
  readonly next: string;
}
