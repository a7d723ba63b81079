import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { prompt, STATE_FILE, setScene } from "./scene.ts";

const QUESTION = '<ask next="SHIP" options="yes|no">Ship it?</ask>';
const isOpen = (text: string) => text.includes('"kind": "answer"');

/** The messages that a model receives after an answer (docs/protocol.md, "Questions"), as the API sees it. */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  const asking = () =>
    setScene(
      client,
      {
        "START.md": prompt("Alpha.", "{ tag: ask, next: SHIP }"),
        "SHIP.md": prompt("The person said {{input}}.", "{ tag: result }"),
      },
      [
        ["The person said", says("<result>end</result>")],
        [/./, says(`It is ready. ${QUESTION}`)],
      ],
    );

  it("is answered from another terminal while the run is parked: the answer comes in the same conversation", async () => {
    const scene = await asking();
    expect((await scene.run()).exitCode).toBe(3);
    expect(scene.api.turns).toHaveLength(1);

    const { project } = scene;
    expect((await raymond(["answer", "r1", "YES"], { project })).exitCode).toBe(0);
    const end = await scene.resume();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const { turns } = scene.api;
    expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
    expect(turns.at(-1)?.prompts).toEqual(["Alpha.", "The person said yes."]);
    expect(await scene.cost()).toBe(scene.api.charged);
  });

  it("is answered while the run is live, and killed once before: the answer comes once, in the same conversation", async () => {
    const scene = await asking();
    const { project } = scene;
    const killed = scene.begin(["--on-ask", "wait"]);
    await project.fileWith(STATE_FILE, isOpen);
    killed.kill("SIGKILL");
    await killed.exit;
    const live = scene.resumed();
    await live.waitForStderr(/\? Ship it\?/);

    const answered = await raymond(["answer", "no"], { project });
    expect(answered).toMatchObject({ exitCode: 0 });

    expect(await live.exit).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const { turns } = scene.api;
    expect(turns).toHaveLength(2);
    expect(turns.at(-1)?.prompts).toEqual(["Alpha.", "The person said no."]);
  });
});
