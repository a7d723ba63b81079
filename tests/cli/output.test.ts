import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { requireArrival, streamOutput } from "../../src/cli/output.ts";

function failing(code: string): { readonly stream: Writable; readonly tried: () => number } {
  let tried = 0;
  const stream = new Writable({
    autoDestroy: false,
    write(_chunk, _encoding, done) {
      tried += 1;
      done(Object.assign(new Error(code), { code }));
    },
  });
  return { stream, tried: () => tried };
}

describe("streamOutput", () => {
  it("writes lines and parts in order", async () => {
    const stream = new PassThrough();
    const output = streamOutput(() => stream);
    output.write("a");
    output.line("b");
    output.line("");
    await output.flush();
    stream.end();

    expect(await text(stream)).toBe("ab\n\n");
  });

  it("writes nothing more after the reader has closed the pipe", async () => {
    const { stream, tried } = failing("EPIPE");
    const output = streamOutput(() => stream);
    output.line("one");
    await output.flush();
    output.line("two");
    await output.flush();

    expect(tried()).toBe(1);
  });

  it("survives a full disk", async () => {
    const { stream } = failing("ENOSPC");
    const output = streamOutput(() => stream);
    output.line("one");

    await expect(output.flush()).resolves.toBeUndefined();
    expect(() => {
      output.line("two");
    }).not.toThrow();
    await output.flush();
  });

  it("reports text that a full disk has lost, and not a closed pipe", async () => {
    for (const [code, lost] of [
      ["ENOSPC", true],
      ["EPIPE", false],
    ] as const) {
      const output = streamOutput(() => failing(code).stream);
      output.line("one");
      const arrival = requireArrival(output);
      if (lost) await expect(arrival).rejects.toMatchObject({ code: "cli/answer-lost" });
      else await expect(arrival).resolves.toBeUndefined();
    }
  });

  it("survives a stream that was ended before", async () => {
    const stream = new PassThrough();
    stream.end();
    const output = streamOutput(() => stream);
    output.line("late");

    await expect(output.flush()).resolves.toBeUndefined();
  });
});

describe("streamOutput on a terminal", () => {
  it.each([
    [true, "a␛[31mb␇\n\nc\n"],
    [false, "a\u001b[31mb\u0007\r\n\nc\n"],
  ])("makes control characters visible (terminal: %s)", async (isTerminal, shown) => {
    const stream = new PassThrough();
    const output = streamOutput(() => stream, isTerminal);
    output.write("a\u001b[31mb\u0007\r\n");
    output.line("");
    output.line("c");
    await output.flush();
    stream.end();

    expect(await text(stream)).toBe(shown);
  });
});
