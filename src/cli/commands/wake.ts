import { type WantedAgents, wake } from "../../runs/wake.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { notReacted } from "../not-reacted.ts";
import type { Shell } from "../shell.ts";

/** `raymond wake`: ends delays now. Returns 1 where others wait than the one that is named, and where the holder does not react. */
export async function wakeCommand(wanted: WantedAgents, shell: Shell): Promise<ExitCode> {
  const woken = await wake(wanted, shell);
  const { id } = woken;
  switch (woken.outcome) {
    case "not-delayed":
      shell.err.line(nobody(id, wanted.agent, woken.delayed));
      // A named agent among others that wait is probably a slip.
      return wanted.agent === undefined || woken.delayed.length === 0
        ? EXIT.completed
        : EXIT.failed;
    case "heard":
      shell.out.line(`${id} goes on now: ${woken.agents.join(", ")}.`);
      return EXIT.completed;
    case "begun":
      shell.out.line(`${id} begins as soon as a worker is free.`);
      return EXIT.completed;
    case "no-reaction":
      shell.err.line(notReacted(woken));
      return EXIT.failed;
    case "delay-ended":
      shell.out.line(
        `${id} waits for no time any more: ${woken.agents.join(", ")}. No process runs it; go on with: ${woken.next}`,
      );
      return EXIT.completed;
  }
}

function nobody(id: string, agent: string | undefined, delayed: readonly string[]): string {
  if (agent === undefined || delayed.length === 0) {
    return `No agent of ${id} waits for a time: there is nothing to wake.`;
  }
  return `${id} has no agent ${agent} that waits for a time. These do: ${delayed.join(", ")}.`;
}
