import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Transition } from "../../../src/language/protocol/transition.ts";
import { decodeEvent, encodeEvent, eventLine } from "../../../src/log/codec/event-json.ts";
import type { AgentWait } from "../../../src/machine/model/agent-wait.ts";
import { anyEvent, everyEvent, samples } from "../samples.ts";

const golden = new URL("../event-json.golden.jsonl", import.meta.url);
const docs = new URL("../../../docs/events.md", import.meta.url);
const at = Date.UTC(2026, 10, 21, 10, 30);

describe("the encoding of events", () => {
  it("is frozen: others read these lines", async () => {
    const lines = everyEvent.map((event, index) => eventLine(encodeEvent(event), index + 1, at));

    expect(`${lines.join("\n")}\n`).toBe(await readFile(golden, "utf8"));
  });

  it("has every type and every key of every event in docs/events.md", async () => {
    const text = await readFile(docs, "utf8");
    for (const event of everyEvent) {
      const json = encodeEvent(event);
      expect(text).toContain(`\`${event.type}\``);
      for (const key of Object.keys(json)) expect(text, event.type).toContain(`\`${key}\``);
    }
  });

  it("keeps the coding agent of steps and waits, and describes its keys", async () => {
    const text = await readFile(docs, "utf8");
    for (const event of [
      { ...samples["step.started"], backend: "codex", insteadOf: "claude" },
      { ...samples["run.waiting"], backend: "codex" },
      { ...samples["run.still-waiting"], backend: "codex" },
      { ...samples["run.woke"], backend: "codex" },
    ] as const) {
      const json = encodeEvent(event);
      expect(decodeEvent(json)).toEqual(event);
      expect(json).toMatchObject({ backend: "codex" });
      for (const key of Object.keys(json)) expect(text, event.type).toContain(`\`${key}\``);
    }
  });

  it.each<[Transition, object]>([
    [
      { tag: "goto", target: "A.md" },
      { tag: "goto", target: "A.md" },
    ],
    [
      { tag: "reset", target: "A.md" },
      { tag: "reset", target: "A.md" },
    ],
    [
      { tag: "call", target: "A.md", returnTo: "B.md" },
      { tag: "call", target: "A.md", return: "B.md" },
    ],
    [
      { tag: "fork", target: "A.md", next: "B.md", cd: "/x", attributes: { item: "1" } },
      { tag: "fork", target: "A.md", next: "B.md", cd: "/x", attributes: { item: "1" } },
    ],
    [
      { tag: "result", payload: "done" },
      { tag: "result", payload: "done" },
    ],
  ])("writes the transition %o in the words of the tag", (transition, json) => {
    expect(encodeEvent({ ...samples["agent.moved"], transition })).toMatchObject({
      transition: json,
    });
  });

  it("is one line of JSON with number and time for any event", () => {
    fc.assert(
      fc.property(anyEvent, fc.nat(), (event, seq) => {
        const line = eventLine(encodeEvent(event), seq, at);

        expect(line).not.toMatch(/[\r\n]/);
        expect(JSON.parse(line)).toMatchObject({
          type: event.type,
          seq,
          at: "2026-11-21T10:30:00.000Z",
        });
      }),
    );
  });

  it("law: is read as the event that was written", () => {
    const anyCost = fc.nat({ max: 1e12 });
    fc.assert(
      fc.property(anyEvent, anyCost, (event, microUsd) => {
        const priced = "costMicroUsd" in event ? { ...event, costMicroUsd: microUsd } : event;

        expect(decodeEvent(JSON.parse(eventLine(encodeEvent(priced), 1, at)))).toEqual(priced);
      }),
    );
  });

  it.each<AgentWait>([
    { kind: "limit", until: at, message: "Weekly limit." },
    { kind: "probe", agent: "main_w1" },
    { kind: "retry", class: "crash", until: at, tries: 2 },
    { kind: "place", maxParallel: 4 },
    { kind: "steps", maxSteps: 9 },
    { kind: "money", message: "The budget is used up." },
  ])("is read with all that is known of a wait: %o", (wait) => {
    const event = { ...samples["agent.waiting"], wait };

    expect(decodeEvent(encodeEvent(event))).toEqual(event);
  });

  it.each([
    null,
    7,
    [],
    {},
    { type: "no.such" },
    { type: "toString" },
    { type: "run.woke" },
    { ...encodeEvent(samples["step.ended"]), tokens: null },
    { ...encodeEvent(samples["agent.moved"]), transition: { tag: "jump" } },
    { ...encodeEvent(samples["run.waiting"]), until: null },
  ])("reads nothing where there is no event: %j", (json) => {
    expect(decodeEvent(json)).toBeNull();
  });

  it("accepts a time out of range", () => {
    expect(
      encodeEvent({ ...samples["run.waiting"], until: Number.POSITIVE_INFINITY }),
    ).toMatchObject({ until: null });
  });
});
