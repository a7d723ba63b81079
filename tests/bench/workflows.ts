/** The files of a workflow. */
type Files = Readonly<Record<string, string>>;

/** One step, which ends the run. */
export const oneStep: Files = { "START.sh": "echo '<result>done</result>'\n" };

/** A loop over one state, of so many steps. */
export function loop(steps: number): Files {
  return { "START.sh": counted(steps - 1, "<goto>START</goto>") };
}

/** Forks so many workers, one a step, and ends; each worker takes the states of `worker` in turn. */
export function forks(workers: number, worker: readonly string[]): Files {
  const files: Record<string, string> = {
    "START.sh": counted(workers, '<fork next="START">W1</fork>'),
  };
  for (const [index, script] of worker.entries()) {
    const last = index === worker.length - 1;
    const tag = last ? "<result>done</result>" : `<goto>W${String(index + 2)}</goto>`;
    files[`W${String(index + 1)}.sh`] = `${script}\necho '${tag}'\n`;
  }
  return files;
}

/**
 * A script that emits one tag so many times and then its result. It counts in a
 * file of the folder it runs in, by builtins alone: no process but its own.
 */
function counted(times: number, tag: string): string {
  return `n=0
[ -f count.txt ] && read -r n < count.txt
if ((n < ${String(times)})); then
  echo $((n + 1)) > count.txt
  echo '${tag}'
else
  echo 0 > count.txt
  echo '<result>done</result>'
fi
`;
}
