import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ForkedWorker } from "../../../src/machine/model/forked.ts";
import { parseDocument } from "../../../src/storage/codec/parse-document.ts";
import { printRun } from "../../../src/storage/codec/print-run.ts";
import { decodeRun } from "../../../src/storage/codec/state-document.ts";
import { DamagedStateError } from "../../../src/storage/errors.ts";
import { agent } from "../../support/agents.ts";
import { run } from "../../support/runs.ts";

const FILE = "/repo/.raymond/workflows/wf.json";

function worker(number: number, result: string | null): ForkedWorker {
  return {
    agent: `main_work${String(number)}`,
    state: "WORK.sh",
    attributes: { item: String(number), ["__proto__"]: "kept" },
    end: result === null ? null : { ok: true, result },
  };
}

const REFERENCE = { file: `payloads/${"0".repeat(64)}.txt`, bytes: 1 };
const NESTED = JSON.stringify([
  { agent: "a", state: "A.sh", attributes: {}, end: { how: "well", result: REFERENCE } },
]);

/** A state file with one block of ended workers. */
function withBlock(ended: string | typeof REFERENCE): string {
  const { text } = printRun(workersOf([worker(1, null)]));
  const json = JSON.parse(text) as { agents: { forked: unknown }[] };
  for (const each of json.agents) each.forked = [{ ended }];
  return JSON.stringify(json);
}

const workersOf = (forked: readonly ForkedWorker[]) => run({ agents: [agent({ forked })] });

/** What was saved, read again as the store does: long texts from where they lie. */
function reread(printed: ReturnType<typeof printRun>) {
  const texts = new Map([...printed.payloads].map(([text, { file }]) => [file, text]));
  const open = ({ file }: { readonly file: string }) => texts.get(file) ?? "";
  return decodeRun(parseDocument(printed.text, FILE), open);
}

describe("the workers of an agent that never joins, in the state file", () => {
  it("are restored in any number and order of ended workers", () => {
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

  it("do not make it grow with thousands of ended workers", () => {
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

  describe.each([
    ["not JSON", "is not JSON ("],
    ["{}", "is not a list of forked workers ("],
    ["[7]", "is not a list of forked workers ("],
    [NESTED, "references another text"],
  ])("that were replaced by %s", (block, problem) => {
    it("are damage of the field, in the state file itself", () => {
      const text = withBlock(block);

      expect(() => parseDocument(text, FILE)).toThrow(DamagedStateError);
      expect(() => parseDocument(text, FILE)).toThrow(
        `Cannot use the state file ${FILE}: agents[0].forked[0].ended ${problem}`,
      );
    });

    it("are damage of the state file, in a long text", () => {
      const document = parseDocument(withBlock(REFERENCE), FILE);
      const decode = () => decodeRun(document, () => block, FILE);

      expect(decode).toThrow(DamagedStateError);
      expect(decode).toThrow(
        `Cannot use the state file ${FILE}: it references ${REFERENCE.file}, which ${problem}`,
      );
    });
  });
});
