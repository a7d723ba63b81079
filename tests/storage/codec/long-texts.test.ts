import { expect, it } from "vitest";
import { parseDocument } from "../../../src/storage/codec/parse-document.ts";
import { printRun } from "../../../src/storage/codec/print-run.ts";
import { decodeRun, payloadReferences } from "../../../src/storage/codec/state-document.ts";
import { agent } from "../../support/agents.ts";
import { run } from "../../support/runs.ts";

const LONG = "x".repeat(100_000);
const asked = { kind: "answer", number: 3, options: null, from: "A.md", call: 0 } as const;

/** Wherever a text of a model or a script stands in a run. */
const PLACES = {
  "a pending result": agent({ pendingResult: LONG }),
  "a question": agent({
    activity: {
      type: "waiting",
      since: null,
      until: null,
      for: { ...asked, question: LONG, late: null },
    },
  }),
  "the input of a question that times out": agent({
    activity: {
      type: "waiting",
      since: null,
      until: 1,
      for: { ...asked, question: "?", late: { state: "B.md", input: LONG } },
    },
  }),
  "a transition that waits for its gate": agent({
    gate: {
      transitions: [{ tag: "result", payload: LONG }],
      implied: false,
      checks: [{ state: "TESTS.sh", attempts: 5, onFail: null }],
      starts: 0,
    },
  }),
  "what a gate has said": agent({ sentBack: { times: 1, problem: "It failed.", said: LONG } }),
};

it.each(Object.entries(PLACES))(
  "stores a long text that is %s in its own file, and reads it again",
  (_, changed) => {
    const before = run({ agents: [changed] });
    const { text, payloads } = printRun(before);
    const document = parseDocument(text, "one.json");
    const [reference] = payloadReferences(document);

    expect(text.length).toBeLessThan(10_000);
    expect([...payloads.values()]).toEqual([reference]);
    expect(decodeRun(document, () => LONG)).toEqual(before);
  },
);
