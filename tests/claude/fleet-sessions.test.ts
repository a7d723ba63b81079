import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fleetScene, type Scene } from "../e2e/fleet/scene.ts";
import { MODEL } from "../support/client/client-call.ts";
import { CLIENT_VERSIONS, type ClientVersion, clientPath } from "../support/client/clients.ts";
import {
  type AnswerTable,
  answers,
  runs,
  says,
  stalls,
} from "../support/client/messages-answer.ts";
import { type Exchange, type MessagesApi, messagesApi } from "../support/client/messages-api.ts";
import { killMarked, markedProcesses } from "../support/process/leaks.ts";
import { prompt, UNASKED } from "./scene.ts";

/**
 * A run whose conversations travel (docs/fleet.md, "Conversations"): each machine has a client with a folder
 * of its own, and the prompts that the API receives follow from the state.
 */
describe.each([
  [CLIENT_VERSIONS[0], "pg"],
  [CLIENT_VERSIONS[1], "dir"],
] as const)("with the client %s and conversations by %s", (client, kind) => {
  it("continues on another machine after goto and in a call, without the killed steps", async () => {
    const { scene, api, submit, kill } = await travelling(
      client,
      {
        "w/START.md": "Alpha.",
        "w/NEXT.md": "Beta.",
        "w/CHILD.md": "Gamma.",
        "w/BACK.md": "Delta: {{result}}",
      },
      [
        ["Alpha", says("<goto>NEXT</goto>")],
        ["Beta", runs("echo noted", stalls("I have")), says('<call return="BACK">CHILD</call>')],
        ["Gamma", runs("echo noted", stalls("I have")), says("<result>found</result>")],
        ["Delta", says("<result>end</result>")],
      ],
    );
    await scene.worker("one");
    const sessions = kind === "pg" ? kind : `dir:${path.join(scene.project.home, "shared")}`;
    const id = await submit("w", "--sessions", sessions);
    await api.arrival(inTool("Beta."));

    await scene.worker("two");
    await kill("one");
    await api.arrival(inTool("Gamma."));
    const [old] = await conversations(scene, "one");
    // It has more of the conversation than the run knows of.
    await scene.worker("one");
    await kill("two");
    await scene.rowOf(id, ({ status }) => status === "completed");

    expect(prompted(api)).toEqual([
      ["Alpha."],
      ["Alpha.", "Beta."],
      ["Alpha.", "Beta."],
      ["Alpha.", "Beta.", "Gamma."],
      ["Alpha.", "Beta.", "Gamma."],
      ["Alpha.", "Beta.", "Delta: found"],
    ]);
    // Only those that were killed had a tool.
    expect(api.turns.filter(({ raw }) => JSON.stringify(raw).includes("noted"))).toHaveLength(2);
    expect(await scene.rowOf(id, () => true)).toMatchObject({ home: "one", steps: 4 });
    expect(old).toContain("noted");
    const aside = path.join(scene.project.dir, "one/fleet/left-behind", id);
    const [kept = ""] = await readdir(aside);
    expect(await readFile(path.join(aside, kept), "utf8")).toBe(old);
  });
});

it("asks on one machine, receives the answer on another in the same conversation, and is rejected by a gate there", async () => {
  const { scene, api, submit, kill } = await travelling(
    CLIENT_VERSIONS[1],
    {
      "w/START.md": "Alpha.",
      "w/NEXT.md": prompt("Beta: {{result}}", "{ tag: goto, target: END, verify: GATE }"),
      "w/GATE.sh": 'echo x >> runs; echo "FAIL run $(wc -l < runs)"; test "$(wc -l < runs)" -ge 2',
      "w/END.md": "Gamma.",
    },
    [
      ["Alpha", says('<ask next="NEXT">Ship it?</ask>')],
      ["Gamma", says("<result>shipped</result>")],
      [/./, says("Done. <goto>END</goto>")],
    ],
  );
  await scene.worker("one");
  const id = await submit("w", "--sessions", "pg", "--on-ask", "wait");
  await scene.rowOf(id, ({ status }) => status === "waiting");
  await kill("one");

  const answered = await scene.call("answer", id, "yes, today");
  await scene.worker("two");
  await scene.rowOf(id, ({ status }) => status === "completed");

  expect(answered).toMatchObject({ exitCode: 0 });
  const [asked, received, held, passed] = prompted(api);
  expect(asked).toEqual(["Alpha."]);
  expect(received).toEqual(["Alpha.", "Beta: yes, today"]);
  expect(held?.slice(0, 2)).toEqual(received);
  expect(held?.[2]).toContain("FAIL run 1");
  expect(passed).toEqual([...(held ?? []), "Gamma."]);
  expect(await scene.rowOf(id, () => true)).toMatchObject({ home: "two" });
});

interface Travelling {
  readonly scene: Scene;
  readonly api: MessagesApi;
  readonly submit: (workflow: string, ...flags: readonly string[]) => Promise<string>;
  /** Kills a machine with its processes, and advances the time until other workers may claim its runs. */
  readonly kill: (machine: string) => Promise<void>;
}

async function travelling(
  client: ClientVersion,
  files: Readonly<Record<string, string>>,
  table: AnswerTable,
): Promise<Travelling> {
  const api = await messagesApi(answers(table));
  const scene = await fleetScene(files, {
    api,
    envOf: (machine, { home }) => ({
      ...UNASKED.env,
      CLAUDE_CONFIG_DIR: path.join(home, machine),
      [MACHINE]: markOf(machine, home),
    }),
  });
  const { home } = scene.project;
  await scene.project.write("../home/shared/.keep", "");
  return {
    scene,
    api,
    submit: (workflow, ...flags) =>
      scene.submit(
        ...[workflow, "--workspace", "shared", "--failover-after", "1s", "--model", MODEL],
        ...["--claude", clientPath(client), ...UNASKED.args, ...flags],
      ),
    kill: async (machine) => {
      killMarked(await markedProcesses(MACHINE, markOf(machine, home)));
      await scene.database.query(
        "UPDATE raymond.holders SET heartbeat_at = now() - interval '1 hour' WHERE machine = $1",
        [machine],
      );
    },
  };
}

const MACHINE = "TEST_MACHINE";

function markOf(machine: string, home: string): string {
  return `${home}/${machine}`;
}

/** The client is in the tool of the step with this prompt. */
function inTool(prompt: string): (turn: Exchange) => boolean {
  return (turn) => turn.prompt === prompt && turn.toolResults.length > 0;
}

/** The messages of the user that the API received, once per step. */
function prompted({ turns }: MessagesApi): readonly (readonly string[])[] {
  return turns.flatMap(({ prompts, toolResults }) => (toolResults.length > 0 ? [] : [prompts]));
}

/** The transcripts that the client of a machine has. */
async function conversations({ project }: Scene, machine: string): Promise<readonly string[]> {
  const projects = path.join(project.home, machine, "projects");
  const names = await readdir(projects, { recursive: true });
  const files = names.filter((name) => /^[^/]+\/[^/]+\.jsonl$/.test(name));
  return Promise.all(files.map((name) => readFile(path.join(projects, name), "utf8")));
}
