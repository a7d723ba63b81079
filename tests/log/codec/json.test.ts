import { describe, expect, it } from "vitest";
import { jsonObserver } from "../../../src/log/codec/event-json.ts";
import { describeObserver } from "../../contracts/observer.ts";
import { run } from "../../support/runs.ts";
import { samples } from "../samples.ts";
import { stillClock } from "../temp.ts";

describeObserver(
  "jsonObserver",
  () => Promise.resolve(jsonObserver(() => undefined, stillClock)),
  () =>
    Promise.resolve(
      jsonObserver(() => {
        throw new Error("EPIPE");
      }, stillClock),
    ),
);

describe("jsonObserver", () => {
  it("writes one event a line, numbered from 1, the end with status, cost and results", () => {
    const lines: string[] = [];
    const observer = jsonObserver((line) => lines.push(line), stillClock);

    observer.notify(samples["step.message"], run(), 1);
    observer.notify(samples["run.ended"], run(), 2);

    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: "step.message", seq: 1, agent: "main", text: "I will read the code first." },
      {
        type: "run.ended",
        seq: 2,
        status: "budget_exceeded",
        cost_usd: 10.3,
        results: { main_work1: "done" },
      },
    ]);
  });
});
