import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/machine/model/answer.ts";
import type { Question } from "../../src/machine/moves/question.ts";
import { answerFiles } from "../../src/storage/answer-files.ts";
import { nodeDisk } from "../../src/storage/disk.ts";
import { failingDisk } from "../support/disk/failing-disk.ts";
import { tempFolder } from "../support/folders.ts";
import { NOON } from "../support/run-driver.ts";

const ANN = { user: "ann", host: "box", via: "command" } as const;
const asked = (until: number | null = null, number = 7): Question => ({
  ...{ agent: "main", number, question: "Ship it?", options: null, late: null },
  ...{ from: "A.md", call: 0, until },
});
const answer = (text: string, at = NOON): Answer => ({
  ...{ agent: "main", number: 7, answer: text, by: ANN, at },
});

async function answers() {
  const folder = path.join(await tempFolder(), "answers");
  return { folder, files: answerFiles(nodeDisk(), folder) };
}

describe("the answers of a run", () => {
  it("are empty without an answer, and create no folder", async () => {
    const { folder, files } = await answers();

    expect(await files.collect([asked()], NOON)).toEqual([]);
    expect(await files.find(asked())).toBeNull();
    await expect(readdir(folder)).rejects.toThrow("ENOENT");
  });

  it("are found by the run, with author and time", async () => {
    const { folder, files } = await answers();

    expect(await files.submit(answer("yes\nof course"))).toBeNull();

    expect(await files.collect([asked(), asked(null, 8)], NOON)).toMatchObject([
      answer("yes\nof course"),
    ]);
    expect(JSON.parse(await readFile(path.join(folder, "main-7.json"), "utf8"))).toEqual({
      ...{ agent: "main", number: 7, answer: "yes\nof course" },
      ...{ user: "ann", host: "box", via: "command", at: "2026-11-21T12:00:00.000Z" },
    });
    expect(await readdir(folder)).toEqual(["main-7.json"]);
  });

  it("accept one of many concurrent answers, and return it to all others", async () => {
    const { files } = await answers();
    const said = Array.from({ length: 20 }, (_, number) => String(number));

    const replies = await Promise.all(said.map((text) => files.submit(answer(text))));

    const winners = said.filter((_, index) => replies[index] === null);
    expect(winners).toHaveLength(1);
    const others = replies.filter((each) => each !== null);
    expect(new Set(others.map((each) => each.kind === "answer" && each.answer))).toEqual(
      new Set(winners),
    );
  });

  it("count that came before the time was over, though they are read later", async () => {
    const { files } = await answers();
    await files.submit(answer("in time", NOON - 1));

    expect(await files.collect([asked(NOON)], NOON + 5)).toMatchObject([{ answer: "in time" }]);
  });

  it("are rejected after the run has recorded the timeout", async () => {
    const { files } = await answers();

    expect(await files.collect([asked(NOON)], NOON)).toEqual([]);

    expect(await files.submit(answer("late", NOON - 1))).toEqual({ kind: "closed", at: NOON });
    expect(await files.collect([asked(NOON)], NOON)).toEqual([]);
  });

  it("report files that are no valid answers", async () => {
    const { folder, files } = await answers();
    const file = path.join(folder, "main-7.json");
    await mkdir(folder);
    await writeFile(file, "yes");

    expect(await files.submit(answer("no"))).toEqual({ kind: "unreadable", file });
    expect(await files.collect([asked()], NOON)).toEqual([]);
  });

  it("are complete or absent after any disk error, and present if acknowledged", async () => {
    for (let nth = 1; ; nth += 1) {
      const { folder } = await answers();
      const failing = failingDisk(nth, "EIO");
      const given = await answerFiles(failing.disk, folder)
        .submit(answer("yes"))
        .then(
          () => "acknowledged",
          (error: unknown) => (error as { readonly code?: string }).code,
        );
      const found = await answerFiles(nodeDisk(), folder).find(asked());

      expect(["acknowledged", "store/disk"]).toContain(given);
      if (given === "acknowledged") expect(found).toMatchObject({ answer: "yes" });
      else expect(found === null || found.kind === "answer").toBe(true);
      if (failing.calls() < nth) break;
    }
  });

  it("that cannot be read are one warning, and no end of the run", async () => {
    const { folder } = await answers();
    const warnings: string[] = [];
    const { disk } = failingDisk(1, "EIO");
    const files = answerFiles(disk, folder, (message) => warnings.push(message));

    expect(await files.collect([asked()], NOON)).toEqual([]);
    expect(warnings).toHaveLength(1);
  });
});
