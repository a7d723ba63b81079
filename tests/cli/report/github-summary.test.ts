import { describe, expect, it } from "vitest";
import { fittedSummary } from "../../../src/cli/report/github-summary.ts";

const MIB = 1024 * 1024;

describe("the summary of a GitHub job", () => {
  it("contains the whole page if it fits", () => {
    const page = `${"x".repeat(1_000)}\n`;

    expect(fittedSummary(page, 0)).toBe(page);
    expect(fittedSummary(page, MIB - page.length)).toBe(page);
  });

  it("is cut after a line at the size limit of GitHub, with a note", () => {
    const line = `${"ä".repeat(50)}\n`;
    for (const taken of [0, 5_000]) {
      const cut = fittedSummary(line.repeat(20_000), taken);

      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(MIB - taken);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(MIB - taken - 2_000);
      expect(cut).toMatch(/^(ä{50}\n)+\n_The rest is left out: .* 1 MiB\..*_\n$/);
    }
  });

  it("closes open blocks where it is cut", () => {
    const page = `<details><summary>a</summary>\n\n\`\`\`\`text\n<details>\n\`\`\`\n${"code\n".repeat(300_000)}`;

    expect(fittedSummary(page, 0)).toMatch(/code\n````\n<\/details>\n\n_The rest/);
  });

  it("is unchanged if there is no room", () => {
    expect(fittedSummary("a\n".repeat(10), MIB)).toBe("");
  });
});
