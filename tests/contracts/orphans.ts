import { expect, it } from "vitest";
import type {
  OrphanCleanup,
  OrphanProcess,
  OrphanProcesses,
} from "../../src/engine/ports/orphans.ts";
import { startProcess } from "../../src/process/children/run-process.ts";
import { describeNeeds, ENVIRONMENTS } from "../support/needs.ts";
import { bashCall } from "../support/process/bash-call.ts";
import { until } from "../support/until.ts";

/** What every Leftovers promises, where processes can be seen. */
export function describeLeftovers(name: string, open: () => OrphanProcesses): void {
  describeNeeds(ENVIRONMENTS, `${name} as Leftovers`, () => {
    it("terminates the processes of the run and their descendants, and lists them", async () => {
      const step = await started("env -i sleep 300 & echo ready $!; exec sleep 301");

      // Until it has become a sleep, each is the bash or the env that it was.
      const found = await until("both to sleep", async () => {
        const seen = await open().find(step.runToken);
        return String(commandsOf(seen)) === String(BOTH) ? seen : undefined;
      });
      const { ended, remaining: left } = await open().end(step.runToken);

      expect(found.map(({ pid }) => pid).sort()).toEqual(ended.map(({ pid }) => pid).sort());
      expect(left).toEqual([]);
      expect(commandsOf(ended)).toEqual(BOTH);
      expect((await step.done).signal).not.toBeNull();
      expect(await open().end(step.runToken)).toEqual(NOTHING);
    });

    it("leaves other runs, and other steps of the run, alone", async () => {
      const [one, other] = [await started(SLEEP), await started(SLEEP)];
      const leftovers = open();

      expect(await leftovers.end(one.runToken.slice(0, -1))).toEqual(NOTHING);
      expect(await leftovers.endStep(`${one.runToken}.2`)).toEqual(NOTHING);
      expect(await leftovers.endStep(`${one.runToken}.1`)).toMatchObject({
        ended: [{ pid: one.pid }],
      });
      expect(await leftovers.end(other.runToken)).toMatchObject({ ended: [{ pid: other.pid }] });

      await Promise.all([one.done, other.done]);
    });
  });
}

const BOTH = ["sleep 300", "sleep 301"];
const NOTHING: OrphanCleanup = { ended: [], remaining: [] };
const SLEEP = "echo ready $$; exec sleep 300";

function commandsOf(found: readonly OrphanProcess[]): readonly string[] {
  return found.map(({ command }) => command).sort();
}

/** A step of a run, after bash said `ready` and a pid. */
async function started(text: string) {
  const bash = bashCall(text);
  const { done } = startProcess(bash.call);
  const pid = Number(/\d+/.exec(await bash.said(/ready \d+/))?.[0]);
  return { pid, done, runToken: bash.token.replace(/\.1$/, "") };
}
