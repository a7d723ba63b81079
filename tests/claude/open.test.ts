import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findTranscript } from "../../src/clients/claude/transcripts/transcript-place.ts";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says, stalls } from "../support/client/messages-answer.ts";
import { startInTerminal, type TerminalProcess } from "../support/terminal/terminal.ts";
import { until } from "../support/until.ts";
import { prompt, type Scene, setScene } from "./scene.ts";

const END = says("<result>end</result>");
const ANSWER = "Understood.";
const NOTED = says(ANSWER);
const WAITS = "echo > started\nuntil test -e go; do sleep 0.2; done\necho '<goto>NEXT</goto>'\n";

/** A person opens the conversation of an agent in the real client (docs/cli.md, "raymond open"). */
describe.each(CLIENT_VERSIONS)("by hand, in the client %s", (client) => {
  it("a message between two steps is part of the conversation of the next step", async () => {
    const scene = await setScene(
      client,
      { "START.md": "Alpha.", "WAIT.sh": WAITS, "NEXT.md": "Beta." },
      [
        ["Alpha", says("<goto>WAIT</goto>")],
        ["Handmade", NOTED],
        ["Beta", END],
      ],
    );
    await settled(scene);
    const running = scene.begin();
    await scene.project.fileWith("started");

    const person = openedBy(scene);
    await person.shows(/Waiting for the step to end/);
    await scene.project.write("go", "");
    await say(person, scene, "Handmade.");
    await leave(person);

    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(person.text()).toMatch(/continues from your conversation/);
    const last = scene.api.turns.at(-1);
    expect(last?.prompts.at(-1)).toBe("Beta.");
    expect(last?.prompts.slice(0, 2)).toEqual(["Alpha.", "Handmade."]);
    expect(last?.session).toBe(scene.api.turns[0]?.session);
    expect((await scene.spend()).all).toBe(scene.api.charged);
  });

  it("an interrupted prompt continues after the manual messages with a short note", async () => {
    const scene = await setScene(client, { "START.md": prompt("Alpha.", "{ tag: result }") }, [
      ["Alpha", stalls("It begins, and then")],
      ["Handmade", NOTED],
      [/./, END],
    ]);
    await settled(scene);
    const running = scene.begin();
    await scene.project.fileWith(".raymond/workflows/r1.json", (text) =>
      text.includes('"accepted": true'),
    );

    const person = openedBy(scene, "--now");
    await say(person, scene, "Handmade.");
    await leave(person);

    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const last = scene.api.turns.at(-1);
    expect(last?.prompts).toContain("Handmade.");
    expect(last?.prompts.filter((text) => text === "Alpha.")).toHaveLength(1);
    expect(last?.prompt).toContain("You were interrupted");
  });

  it("a run that no process drives can be replayed, rerun and turned into a test afterwards", async () => {
    const scene = await setScene(client, { "START.md": "Alpha.", "NEXT.md": "Beta." }, [
      ["Alpha", says("<goto>NEXT</goto>")],
      ["Handmade", NOTED],
      ["Beta", END],
    ]);
    await settled(scene);
    await scene.run(["--max-steps", "1"]);

    const person = openedBy(scene);
    await say(person, scene, "Handmade.");
    await leave(person);

    expect(await scene.raymond("replay", "r1")).toMatchObject({ exitCode: 0 });
    expect(await scene.resume(["--max-steps", "5"])).toMatchObject({ exitCode: 0 });
    expect(await scene.raymond("replay", "r1")).toMatchObject({ exitCode: 0 });
    const rerun = await scene.raymond("rerun", "r1", "NEXT", "--workflow-id", "r2");
    expect(rerun).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const prompts = scene.api.turns.at(-1)?.prompts;
    expect([prompts?.slice(0, 2), prompts?.at(-1)]).toEqual([["Alpha.", "Handmade."], "Beta."]);
    const test = await scene.raymond("test", "--from-run", "r1");
    expect(test, test.stderr).toMatchObject({ exitCode: 0 });
  });
});

/** The client asks nothing about itself: it was used here before. */
async function settled({ project }: Scene): Promise<void> {
  const known = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["test"], rejected: [] },
    projects: { [project.dir]: { hasTrustDialogAccepted: true } },
  };
  await project.write("../home/.claude/.claude.json", JSON.stringify(known));
}

function openedBy({ project, api }: Scene, ...flags: readonly string[]): TerminalProcess {
  return startInTerminal(["open", "r1", ...flags], { project, api });
}

/** Says a word, and waits until the client has written its answer down: what it shows, it paints in pieces. */
async function say(person: TerminalProcess, { api, project }: Scene, word: string): Promise<void> {
  await person.shows(/shift\+tab/);
  person.type(word);
  const { session } = await pressing(
    person,
    api.arrival((turn) => turn.prompt === word),
  );
  await until("the answer to be written down", async () => {
    const file = await findTranscript(
      path.join(project.home, ".claude"),
      project.dir,
      session ?? "",
    );
    const text = await readFile(file.file, "utf8").catch(() => "");
    return text.includes(ANSWER) ? text : undefined;
  });
}

async function leave(person: TerminalProcess): Promise<void> {
  person.type("/exit");
  expect(await pressing(person, person.exit)).toBe(0);
}

/** Ends the line until it is taken: an end that comes with the text is taken for a part of it. */
async function pressing<T>(person: TerminalProcess, taken: Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    person.type("\r");
  }, 500);
  return taken.finally(() => {
    clearInterval(timer);
  });
}
