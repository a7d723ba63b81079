/** The files of a workflow. */
type Files = Readonly<Record<string, string>>;

/** One step that ends the run. */
export const oneStep: Files = { "START.sh": "echo '<result>done</result>'\n" };

/** A loop over one state. */
export function loop(steps: number): Files {
  return { "START.sh": counted(steps - 1, "<goto>START</goto>") };
}

/** Forks `atOnce` workers per step and ends. Each worker runs the states of `worker` in order. */
export function forks(workers: number, worker: readonly string[], atOnce = 1): Files {
  const tags = Array<string>(atOnce).fill('<fork next="START">W1</fork>').join(" ");
  const files: Record<string, string> = { "START.sh": counted(workers / atOnce, tags) };
  for (const [index, script] of worker.entries()) {
    const last = index === worker.length - 1;
    const tag = last ? "<result>done</result>" : `<goto>W${String(index + 2)}</goto>`;
    files[`W${String(index + 1)}.sh`] = `${script}\necho '${tag}'\n`;
  }
  return files;
}

/** The same with prompts, whose simulated answers take `seconds`. */
export function forksOfPrompts(workers: number, seconds: number): Files {
  const delay = `${String(seconds)}s`;
  return {
    "START.sh": counted(workers, '<fork next="START">W1</fork>'),
    "W1.md": "Wait.\n",
    "alive.sim.yaml": `states:\n  W1:\n    - reply: "<result>done</result>"\n      delay: ${delay}\n      times: always\n`,
  };
}

/** A prompt that ends the run, and one that is repeated until the model ends the run. */
export const onePrompt: Files = { "START.md": "Say hello.\n" };
export const promptLoop: Files = { "START.md": "Continue.\n" };

const ENDS_RESUMED = `if [ -f "\${0%/*}/resumed" ]; then kill -KILL $PPID; exit; fi
`;

/** Forks one worker. Both sleep until interrupted. After a resume the first script kills raymond. */
export const sleepsOnce: Files = {
  "START.sh": `${ENDS_RESUMED}forked="\${0%/*}/forked"
if [ -f "$forked" ]; then exec sleep 100; fi
touch "$forked"
echo '<fork next="START">W1</fork>'
`,
  "W1.sh": `${ENDS_RESUMED}exec sleep 100\n`,
};

/**
 * A script that emits a tag `times` times and then its result. It counts in a file with shell builtins, without
 * child processes.
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
