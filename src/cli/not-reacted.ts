/** What is told where the process that holds a run was told something, and shows nothing of it. */
export function notReacted({ id, pid }: { readonly id: string; readonly pid: number }): string {
  return `The process ${String(pid)}, which holds ${id}, has not reacted. raymond status ${id} shows where it stands.`;
}
