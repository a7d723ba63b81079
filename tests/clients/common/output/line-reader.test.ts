import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader } from "../../../../src/clients/common/output/line-reader.ts";

function read(chunks: readonly Buffer[], limit?: number) {
  const lines: string[] = [];
  const tooLong: number[] = [];
  const sink = {
    line: (text: string) => lines.push(text),
    tooLong: (bytes: number) => tooLong.push(bytes),
  };
  const reader = new LineReader(sink, limit);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, tooLong };
}

describe("LineReader", () => {
  it("cuts at line ends of either kind, and keeps a last line without one", () => {
    expect(read([Buffer.from("a\r\nb\n\nc")]).lines).toEqual(["a", "b", "", "c"]);
  });

  it("drops a line that is too long, and continues after it", () => {
    const chunks = ["ok\n", "x".repeat(60), "x".repeat(60), "\nafter\n"].map((text) =>
      Buffer.from(text),
    );

    expect(read(chunks, 100)).toEqual({ lines: ["ok", "after"], tooLong: [120] });
  });

  it("reads the same however the bytes are cut, invalid ones too", () => {
    const bytes = fc.array(fc.constantFrom(10, 13, 65, 0xc3, 0xa9, 0xf0, 0x9f, 0xff), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(60), { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        (all, cuts, limit) => {
          const whole = Buffer.from(all);
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
            whole.length,
          ];
          const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));

          expect(read(chunks, limit)).toEqual(read([whole], limit));
        },
      ),
    );
  });
});
