import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContainerOutput } from "../../../src/engine/executors/container-output.ts";
import type { ProcessEnd } from "../../../src/engine/ports/process.ts";
import { scriptStep } from "../../support/engine/script-step.ts";

const NAME = "raymond-0123456789abcdef01234567";
const END: ProcessEnd = {
  ...{ exitCode: 0, signal: null, spawnError: null },
  ...{ endedByRaymond: false, durationMs: 1, leftOpen: false },
};

/** Passes a text in these pieces. */
function output(pieces: readonly string[]) {
  const passed: Buffer[] = [];
  const ran = { container: "docker", image: "img", name: NAME } as const;
  const container = new ContainerOutput(ran, (chunk) => {
    passed.push(chunk);
  });
  for (const piece of pieces) container.push(Buffer.from(piece, "latin1"));
  container.end();
  return { container, passed: Buffer.concat(passed).toString("utf8") };
}

describe("standard error of a container", () => {
  it("passes on everything but the reports, however it is cut into pieces", () => {
    const words = fc.array(fc.constantFrom("x", "\n", "ray", "raymond-0123", `${NAME} `, "é"));
    fc.assert(
      fc.property(words, words, fc.array(fc.nat(200)), (before, during, cuts) => {
        const [first, second] = [before, during].map((each) => each.join(""));
        const whole = `${first ?? ""}${NAME} started\n${second ?? ""}${NAME} ended 7\n`;
        const bytes = Buffer.from(whole).toString("latin1");
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((cut, index) => bytes.slice(at[index], cut));

        const { container, passed } = output(pieces);

        expect(passed).toBe(`${first ?? ""}${second ?? ""}`);
        expect(container.endOf(END).exitCode).toBe(7);
        expect(container.failure(scriptStep(), END, [])).toBeNull();
      }),
    );
  });

  it.each([
    ["no such image: img", "docker pull img"],
    ["Cannot connect to the Docker daemon", "docker info"],
    ['exec: "bash": executable file not found in $PATH', "must contain bash"],
    ["something else", "docker run --rm --entrypoint=bash img"],
  ])("without a start is a failure with a hint: %s", (text, hint) => {
    const { container, passed } = output([`${text}\n`]);

    const failed = container.failure(scriptStep(), { ...END, exitCode: 125 }, [text]);

    expect(passed).toBe(`${text}\n`);
    expect(failed?.message).toContain("could not be started: docker ended with exit code 125");
    expect(failed?.hint).toContain(hint);
  });

  it("without an end is no success", () => {
    const { container } = output([`${NAME} started\n`]);

    expect(container.failure(scriptStep(), END, [])?.message).toContain("was lost");
    expect(container.failure(scriptStep(), { ...END, exitCode: 137 }, [])).toBeNull();
  });
});
