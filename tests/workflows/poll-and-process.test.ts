import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

const QUICK = ["--var", "interval=0", "--var", "max_empty=2"];
const ANSWER = "Thank you for your message. We will reply today.";

describe("workflows/poll-and-process", () => {
  it("answers each message in a new conversation, then ends without new messages", async () => {
    const project = await tempProject({
      "inbox/a question.txt": "When do you open?",
      "inbox/b.txt": "Hello.",
    });

    const done = await simulate("poll-and-process", project, QUICK);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "The inbox is empty; messages processed: 2\n",
    });
    const round = ["POLL.sh", "PROCESS.md", "FILE_AWAY.sh"];
    expect(done.visited("main")).toEqual(["START.sh", ...round, ...round, "POLL.sh", "POLL.sh"]);
    const sessions = done.events.filter(
      ({ state, type }) => type === "step.started" && state === "PROCESS.md",
    );
    expect(sessions.map(({ session }) => session)).toEqual(["fresh", "fresh"]);
    expect(await project.read("inbox/done/a question.txt")).toBe("When do you open?");
    expect(await project.read("inbox/done/a question.txt.answer.md")).toBe(ANSWER);
    expect(await project.read("inbox/done/b.txt.answer.md")).toBe(ANSWER);
  });

  it("costs nothing without messages", async () => {
    const project = await tempProject({});

    const done = await simulate("poll-and-process", project, QUICK);

    expect(done.stdout).toBe("The inbox is empty; messages processed: 0\n");
    expect(done.run.total_cost_usd).toBe(0);
  });

  it("continues a message that an earlier run has started", async () => {
    const project = await tempProject({ "inbox/working/started.txt": "Hello?" });

    const done = await simulate("poll-and-process", project, QUICK);

    expect(done.stdout).toBe("The inbox is empty; messages processed: 1\n");
    expect(await project.read("inbox/done/started.txt")).toBe("Hello?");
  });
});
