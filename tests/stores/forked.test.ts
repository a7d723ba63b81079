import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Forked } from "../../src/core/machine/forked.ts";
import { parseDocument } from "../../src/stores/parse-document.ts";
import { printRun } from "../../src/stores/print-run.ts";
import { decodeRun } from "../../src/stores/state-document.ts";
import { agent } from "../support/agents.ts";
import { run } from "../support/runs.ts";

const FILE = "/repo/.raymond/workflows/wf.json";

function worker(number: number, result: string | null): Forked {
  return {
    agent: `main_work${String(number)}`,
    state: "WORK.sh",
    attributes: { item: String(number), ["__proto__"]: "kept" },
    end: result === null ? null : { ok: true, result },
  };
}

const workersOf = (forked: readonly Forked[]) => run({ agents: [agent({ forked })] });

/** What was saved, read again as the store does: long texts from where they lie. */
function reread(printed: ReturnType<typeof printRun>) {
  const texts = new Map([...printed.payloads].map(([text, { file }]) => [file, text]));
  const open = ({ file }: { readonly file: string }) => texts.get(file) ?? "";
  return decodeRun(parseDocument(printed.text, FILE), open);
}

describe("the workers of an agent that never joins, in the state file", () => {
  it("are what was put in, however many have ended, in whichever order", () => {
    const anyResult = fc.option(
      fc.nat({ max: 30 }).map((thousands) => "r".repeat(thousands * 1_000)),
    );
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 60 }), (results) => {
        const before = workersOf(results.map((result, number) => worker(number, result)));
        expect(reread(printRun(before))).toEqual(before);
      }),
    );
  });

  it("take no more room in it for each thousand that has ended", () => {
    const ended = Array.from({ length: 3_000 }, (_, number) => worker(number, "done"));
    const sizes = [1_000, 2_000, 3_000].map((count) => {
      return printRun(workersOf([worker(9_000, null), ...ended.slice(0, count)])).text.length;
    });

    expect(Math.max(...sizes)).toBeLessThan(200_000);
  });

  it("are written once: a save after another worker has ended names the same long texts", () => {
    const ended = Array.from({ length: 1_000 }, (_, number) => worker(number, "done"));
    const first = printRun(workersOf([...ended, worker(1_000, null)]));
    const next = printRun(workersOf([...ended, worker(1_000, "done")]), first.payloads);

    expect(first.payloads.size).toBeGreaterThan(0);
    expect([...next.payloads.keys()]).toEqual([...first.payloads.keys()]);
  });
});
