import { describe, expect, it } from "vitest";
import { signalWord } from "../../../src/machine/model/signal-word.ts";

describe("signalWord", () => {
  it("is a word that people on Windows know", () => {
    expect(signalWord("SIGTERM", "windows")).toBe("raymond stop");
    expect(signalWord("SIGINT", "windows")).toBe("Ctrl-C");
    expect(signalWord("SIGTERM", "unix")).toBe("SIGTERM");
  });
});
