import { expect, it, onTestFinished } from "vitest";
import { fakeClient } from "../../fixtures/fake-client.ts";
import { markedProcesses } from "../../support/process/leaks.ts";
import { until } from "../../support/until.ts";
import { loggingScene } from "./waiting.ts";

/** A script that ignores SIGTERM, with a child that ignores it, too. */
const DEAF = `trap "" TERM INT
(trap "" TERM INT; while :; do sleep 0.2; done) &
while :; do sleep 0.2; done`;

it("stops a run from a third machine in any state, and returns when all its processes have ended", async () => {
  const tools = [{ name: "Bash", ms: 600_000 }];
  const client = await fakeClient({ replies: [{ say: "<result>late</result>", tools }] });
  onTestFinished(() => client.remove());
  const scene = await loggingScene({
    "prompt/1_START.md": "Work.",
    "script/1_START.sh": DEAF,
    "waits/1_START.sh": `echo '<goto delay="1h">2_END</goto>'`,
    "waits/2_END.sh": 'echo "<result>late</result>"',
  });
  const { project } = scene;
  const paid = { RAYMOND_CLAUDE: client.command, CLAUDE_FAKE: client.env["CLAUDE_FAKE"] ?? "" };
  Object.assign(project, { env: { ...project.env, ...paid } });
  await scene.worker("m1");
  const processesOf = (id: string) => markedProcesses("RAYMOND_WORKFLOW_ID", id);
  /** Starts a run and waits until its step has this number of processes. */
  const startRun = async (workflow: string, processes: number) => {
    const id = await scene.submit(workflow);
    await until(`${workflow} to be in its step`, async () => {
      const found = await processesOf(id);
      return found.length >= processes ? true : undefined;
    });
    return id;
  };
  const ids = [
    await startRun("prompt", 1),
    await startRun("script", 2),
    await scene.submit("waits"),
  ];
  await scene.rowOf(ids[2] ?? "", ({ steps }) => steps === 1);

  for (const id of ids) {
    const { exitCode, stdout } = await scene.call("stop", id);

    expect(await processesOf(id)).toEqual([]);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("interrupted") as string,
    });
  }
});
