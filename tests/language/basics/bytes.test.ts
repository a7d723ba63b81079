import { expect, it } from "vitest";
import { formatBytes } from "../../../src/language/basics/bytes.ts";

it.each([
  [0, "0 bytes"],
  [1_023, "1023 bytes"],
  [1_024, "1.0 KiB"],
  [1.5 * 1024 ** 2, "1.5 MiB"],
  [3 * 1024 ** 3, "3.0 GiB"],
  [2 ** 60, "1048576.0 TiB"],
])("%d bytes are shown in the largest unit that leaves a number above one: %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
