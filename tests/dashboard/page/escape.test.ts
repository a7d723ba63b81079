import { expect, it } from "vitest";
import { escapeText } from "../../../src/dashboard/page/escape.ts";

it("text nodes show characters that would hide or reorder text, and keep their lines", () => {
  const node = { type: null, props: "a\u001b[2Jb\r\n\u202ec<b>d</b>" };

  escapeText(node);

  expect(node.props).toBe("a\u241b[2Jb\n\\u202ec<b>d</b>");
});

it("titles and labels are escaped, values and links are not", () => {
  const unsafe = "\u202egnp.exe";
  const node = {
    type: "a",
    props: { title: unsafe, "aria-label": unsafe, value: unsafe, href: unsafe },
  };

  escapeText(node);

  const escaped = "\\u202egnp.exe";
  expect(node.props).toEqual({
    ...{ title: escaped, "aria-label": escaped, value: unsafe, href: unsafe },
  });
});
