import { describe, expect, it } from "vitest";
import { refusal, type Scene, scene } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";
const asks = (text: string) => text.includes('"kind": "answer"');

const SHIP = {
  "w/START.sh": `echo '<ask next="SHIP" options="yes|No">Ship it?</ask>'\n`,
  "w/SHIP.sh": 'echo "<result>said $RAYMOND_INPUT</result>"\n',
};

/** Two workers that ask, and one who joins them. */
const TWO = {
  "w/START.sh": "echo '<fork>ASKER</fork><fork>ASKER</fork><join>DONE</join>'\n",
  "w/ASKER.sh": `echo '<ask next="BACK">Which?</ask>'\n`,
  "w/BACK.sh": 'echo "<result>$RAYMOND_RESULT</result>"\n',
  "w/DONE.sh": 'echo "<result>$RAYMOND_RESULT</result>"\n',
};

const paused = async (files: Readonly<Record<string, string>>): Promise<Scene> => {
  const here = await scene(files);
  expect(await here.raymond("w --workflow-id one")).toMatchObject({ exitCode: 3 });
  return here;
};

describe("a run that asks a person", () => {
  it("stops with 3 and shows how to answer; the answer continues the run", async () => {
    const { raymond } = await scene(SHIP);

    const { exitCode, stderr } = await raymond("w --workflow-id one");
    expect(exitCode).toBe(3);
    expect(stderr).toContain("? Ship it? (yes | No)");
    expect(stderr).toContain("answer with: raymond answer one TEXT --resume");
    expect((await raymond("status")).stdout).toContain("answer with: raymond answer one TEXT");
    expect((await raymond("list")).stdout).toMatch(
      /^one +paused, asks (?:.|\n)*Ship it\? \(yes \| No\)/m,
    );

    expect(await raymond("answer NO --resume")).toMatchObject({
      exitCode: 0,
      stdout: "Answered main of one: No\nsaid No\n",
    });
  });

  it("is answered without a process, and finds the answer after a resume", async () => {
    const { project, raymond } = await paused(SHIP);

    const kept = await raymond("answer one yes");
    expect(kept).toMatchObject({ exitCode: 0 });
    expect(kept.stdout).toContain("Resume with: raymond resume one");
    expect((await raymond("list")).stdout).toContain("paused, answered");
    expect((await raymond("status")).stdout).toContain("answered: yes");

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "said yes\n" });
    const log = await project.read(".raymond/runs/one/events.jsonl");
    expect(log).toMatch(/"type":"agent.answered".*"via":"command"/);
  });

  it("keeps a complete long answer, and shows its start", async () => {
    const { raymond } = await paused({ ...TWO, "w/START.sh": TWO["w/ASKER.sh"] });
    const long = "x".repeat(5000);

    const { stdout } = await raymond(`answer one ${long}`);

    expect(stdout).toMatch(/^Answered main of one: x{199}…$/m);
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: `${long}\n` });
  });

  it("repeats the question and exits with 3 when it is resumed without an answer", async () => {
    const { raymond } = await paused(SHIP);

    const again = await raymond("--resume one");

    expect(again.exitCode).toBe(3);
    expect(again.stderr).toContain("answer with: raymond answer one TEXT --resume");
  });

  it("keeps its process with --on-ask wait, and continues immediately after the answer", async () => {
    const { project, raymond, start } = await scene(SHIP);
    const run = start("w --workflow-id one --on-ask wait");
    await project.fileWith(STATE, asks);

    expect(await raymond("answer yes --json")).toMatchObject({ exitCode: 0 });

    expect(await run.exit).toMatchObject({ exitCode: 0, stdout: "said yes\n" });
  });

  it("notifies --notify", async () => {
    const { project, raymond } = await scene(SHIP);

    await raymond(["w", "--notify", "cat >>news"]);

    const news = (await project.read("news")).trim().split("\n");
    expect(news.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: "agent.asked", question: "Ship it?", options: ["yes", "No"] },
      { type: "run.ended", status: "paused", reason: { class: "question" } },
    ]);
  });
});

describe("raymond answer", () => {
  it("accepts the first answer, and reports it to the second", async () => {
    const { raymond } = await paused(SHIP);
    const both = await Promise.all([raymond("answer one yes"), raymond("answer one no")]);

    expect(both.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1]);
    const loser = both.find(({ exitCode }) => exitCode === 1);
    expect(loser === undefined ? "" : refusal(loser)).toMatch(
      /main was already answered at .*: (yes|No)/,
    );
    const third = await raymond("answer maybe");
    expect(third.exitCode).toBe(2);
    expect(refusal(third)).toContain("Answer with one of: yes, No.");
  });

  it("lists the command for each question if several are open", async () => {
    const { raymond } = await paused(TWO);

    const { exitCode, ...said } = await raymond("answer left");
    expect(exitCode).toBe(2);
    expect(refusal({ exitCode, ...said })).toContain(
      "raymond answer one TEXT --agent main_asker2  (main_asker2 asks: Which?)",
    );

    expect(await raymond("answer one left --agent main_asker1")).toMatchObject({ exitCode: 0 });
    const done = await raymond("answer right --resume");
    expect(done.exitCode).toBe(0);
    expect(done.stdout).toMatch(/"result":"left".*"result":"right"/);
  });

  it("reads a long answer from standard input, with its lines", async () => {
    const { raymond } = await paused(TWO);
    await raymond("answer one x --agent main_asker2");

    await raymond("answer -", { stdin: "\nfirst\n\n  second\n\n" });

    const { stdout } = await raymond("--resume");
    expect(stdout).toContain(String.raw`"result":"first\n\n  second"`);
  });

  it("reports that there are no questions", async () => {
    const { raymond } = await paused(SHIP);

    expect(refusal(await raymond("answer one"))).toContain("Use: raymond answer one TEXT");
    expect(refusal(await raymond("answer"))).toContain("Use: raymond answer [RUN] TEXT");
    expect(await raymond("answer two yes")).toMatchObject({ exitCode: 7 });
    expect(refusal(await raymond(["answer", "one", " "]))).toContain("is empty");
    expect(refusal(await raymond("answer one yes --agent main_x1"))).toContain(
      "raymond answer one TEXT  (main asks: Ship it? (yes | No))",
    );
    await raymond("answer yes --resume");

    const over = await raymond("answer one yes");
    expect(over.exitCode).toBe(1);
    expect(refusal(over)).toContain("Run one has completed and asks nothing.");
    expect(await raymond("answer yes")).toMatchObject({ exitCode: 1 });
  });
});

describe("a question with a time", () => {
  const timed = (timeout: string) => ({
    "w/START.sh": `echo '<ask next="SHIP" timeout="${timeout}" timeout_next="LATE" input="none">Ship it?</ask>'\n`,
    "w/SHIP.sh": 'echo "<result>said $RAYMOND_INPUT</result>"\n',
    "w/LATE.sh": 'echo "<result>late, $RAYMOND_INPUT</result>"\n',
  });
  const OVER = "2020-01-01T00:00:00.000Z";

  it("continues without an answer after the timeout, with a process or after a resume", async () => {
    const { raymond } = await scene(timed("1s"));
    expect(await raymond("w --on-ask wait")).toMatchObject({
      exitCode: 0,
      stdout: "late, none\n",
    });

    const { project, raymond: again } = await paused(timed("1h"));
    const state = await project.read(STATE);
    await project.write(STATE, state.replace(/"until": "[^"]*"/, `"until": "${OVER}"`));
    expect(refusal(await again("answer yes"))).toMatch(/The question of main expired at .*2020/);
    expect(await again("--resume")).toMatchObject({ exitCode: 0, stdout: "late, none\n" });
  });

  it("accepts an answer that was submitted before the timeout and read after it", async () => {
    const { project, raymond } = await paused(timed("1h"));
    await raymond("answer yes");
    const answer = ".raymond/runs/one/answers/main-1.json";
    const given = await project.read(answer);
    const state = await project.read(STATE);
    await project.write(STATE, state.replace(/"until": "[^"]*"/, `"until": "${OVER}"`));
    await project.write(answer, given.replace(/"at": "[^"]*"/, '"at": "2019-12-31T23:59:59.000Z"'));

    expect(await raymond("--resume")).toMatchObject({ exitCode: 0, stdout: "said yes\n" });
  });
});
