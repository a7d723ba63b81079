import { RaymondError } from "../../../src/language/basics/errors.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { plan } from "../../../src/machine/steps/plan.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { parseDocument } from "../../../src/storage/codec/parse-document.ts";
import { printRun } from "../../../src/storage/codec/print-run.ts";
import { decodeRun } from "../../../src/storage/codec/state-document.ts";
import { difference, type Target } from "../target.ts";

/** A modified state file: rejected with a message, or a run that encodes back to the same text. */
export const stateTarget: Target = {
  name: "state",
  words: [
    ...['"version": ', '"agents": [', '"session": ', '"mode": "fresh"', '"mode": "branch"', "null"],
    ...['"status": "waiting"', '"status": "ready"', '"__proto__": ', '"constructor": ', "{}", "[]"],
    ...['"results": ', '"wait": ', '"activity": ', "true", "false", "1e308", "-1", "1e-9", '""'],
    ...[
      "0.0000001",
      '"2026-11-21T10:30:00.000Z"',
      '"9999-12-31T23:59:59Z"',
      '"0000-01-01T00:00:00Z"',
    ],
    ...[
      '{"file":"payloads/../../x.txt","bytes":1}',
      "\\u0000",
      "\\ud800",
      ",",
      "{",
      "}",
      '"',
      "\n",
    ],
  ],
  seeds: () => [],
  broken(input) {
    let run: RunState;
    try {
      run = read(input.toString());
    } catch (error) {
      if (error instanceof RaymondError) return null;
      throw error;
    }
    const printed = printRun(run).text;
    const again = read(printed);
    plan(run, Date.parse(run.updatedAt));
    recover(run, {});
    return (
      difference("read again", run, again) ??
      difference("printed again", printed, printRun(again).text)
    );
  },
};

function read(text: string): RunState {
  return decodeRun(parseDocument(text, "wf.json"), ({ file }) => `the text in ${file}`);
}
