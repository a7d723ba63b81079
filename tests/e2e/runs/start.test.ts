import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { zipOf } from "../../support/disk/zips.ts";
import { refusal, resultScript, scene } from "../scene.ts";

const STATES = {
  "START.sh": resultScript("from the start"),
  "REVIEW.sh": 'echo "<goto>END</goto>"\n',
  "END.sh": '[ -e ok ] && echo "<result>from there</result>"\n',
};

const FOLDER = Object.fromEntries(
  Object.entries(STATES).map(([name, text]) => [`w/${name}`, text]),
);

describe("--start", () => {
  it("starts a folder at another state, and a resume continues the run", async () => {
    const { project, raymond } = await scene(FOLDER);

    const failed = await raymond("w --start REVIEW --workflow-id one");

    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain("from REVIEW.sh");
    expect(await project.run("one")).toMatchObject({ workflow: { entry: "REVIEW.sh" } });
    const refused = await raymond("--resume one --start START");
    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toContain("--start is for new runs");
    await project.write("ok", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "from there\n" });
  });

  it("starts a zip without an entry state, which is rejected without it", async () => {
    const { project, raymond } = await scene({ ok: "" });
    const { "REVIEW.sh": review, "END.sh": end } = STATES;
    await project.writeBytes("w.zip", zipOf({ "REVIEW.sh": review, "END.sh": end }));

    const refused = await raymond("w.zip");
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toContain("--start STATE");

    expect(await raymond("w.zip --start END.sh")).toMatchObject({
      exitCode: 0,
      stdout: "from there\n",
    });
    await rm(path.join(project.dir, "ok"));
    expect(await raymond("w.zip --start REVIEW --workflow-id one")).toMatchObject({ exitCode: 1 });
    await rm(path.join(project.dir, "w.zip"));
    await project.write("ok", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "from there\n" });
  });

  it("passes the input of a first state", async () => {
    const { raymond } = await scene({
      "w/ECHO.sh": 'echo "<result>$RAYMOND_RESULT and $who</result>"\n',
    });

    const done = await raymond("w --start ECHO --input this --var who=you");

    expect(done).toMatchObject({ exitCode: 0, stdout: "this and you\n" });
  });

  it.each([
    ["w --start REVEIW", 'Did you mean "REVIEW.sh"'],
    ["w/REVIEW --start END", "single state"],
    ["w --start=", "Unknown state"],
  ])("is refused before there is a run: %s", async (line, words) => {
    const { raymond, runs } = await scene(FOLDER);

    const refused = await raymond(line);

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toContain(words);
    expect(await runs()).toEqual([]);
  });
});
