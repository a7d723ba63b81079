import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { lookAhead } from "../../../src/inspect/history/look-ahead.ts";
import { folderScope } from "../../../src/scopes/folder.ts";
import { tempFolder } from "../../support/folders.ts";

const END = "End with <result>x</result>";

/** What a look at a workflow of these files says, that begins at the first of them. */
async function look(files: Readonly<Record<string, string>>): Promise<string | null> {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const [entry = ""] = Object.keys(files);
  const source = { ...folderScope(folder), workflow: folder };
  return (await lookAhead(source, entry, "my flow")).warning;
}

function ruled(...rules: readonly string[]): string {
  return `---\nallowed_transitions:\n${rules.map((rule) => `  - { ${rule} }\n`).join("")}---\nDo it.`;
}

describe("lookAhead", () => {
  it("returns nothing for a valid workflow", async () => {
    expect(await look({ "A.md": ruled("tag: goto, target: B"), "B.md": END })).toBeNull();
  });

  it.each([
    ["tag: goto, target: GONE", "GONE"],
    ["tag: call, target: END, return: GONE", "GONE"],
    ["tag: result, verify: GONE", "Invalid verify"],
    ["tag: result, verify: GATE, on_fail: GONE", "Invalid on_fail"],
    ["tag: result, verify: END", "is a prompt"],
  ])("refuses a run that could reach the rule %j", async (rule, words) => {
    const files = {
      "A.sh": "echo '<goto>B</goto>'",
      "B.md": ruled(rule),
      "END.md": END,
      "GATE.sh": "",
    };

    await expect(look(files)).rejects.toMatchObject({
      code: expect.stringMatching(/^lint\/RAY20\d$/) as unknown,
      message: expect.stringMatching(/B\.md:3:5: /) as unknown,
    });
    await expect(look(files)).rejects.toThrow(words);
  });

  it("refuses an on_error or on_context without a target state", async () => {
    const script = "# raymond: on_error=GONE\necho '<result>x</result>'";
    const prompt = `---\nmax_context: 70%\non_context: GONE\n---\n${END}`;

    await expect(look({ "A.md": "<goto>B</goto>", "B.sh": script })).rejects.toThrow("B.sh:1:12");
    await expect(look({ "A.md": "<goto>B</goto>", "B.md": prompt })).rejects.toThrow("B.md:3:13");
  });

  it("ignores problems of unreachable states", async () => {
    expect(await look({ "A.md": END, "B.md": ruled("tag: goto, target: GONE") })).toBeNull();
  });

  it("counts warnings: names in prose and scripts, unknown keys, an empty prompt", async () => {
    expect(
      await look({
        "A.md": "End with <goto>B</goto> or <goto>LATER</goto>",
        "B.sh": "echo '<call>C</call>'",
        "C.md": "---\nmodle: opus\n---\n",
      }),
    ).toBe("4 warnings about what this workflow says: raymond lint 'my flow'");
  });

  it("ignores tags that the rules of a prompt do not allow", async () => {
    const text = `${ruled("tag: goto, target: B")} Never <goto>GONE</goto>`;

    expect(await look({ "A.md": text, "B.md": END })).toBeNull();
  });
});
