import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { type Answer, runs, says, uses } from "../support/client/messages-answer.ts";
import { prompt, setScene } from "./scene.ts";

const FILES = {
  "wf/START.md": prompt("Alpha.", "{ tag: goto, target: T }"),
  "wf/T.sh": "echo '<result>as written</result>'\n",
  "notes.txt": "old\n",
};
const GOTO = says("<goto>T</goto>");
const OTHER = "echo '<result>by the model</result>'";
const write = (file: string, then: Answer = GOTO) =>
  uses("Write", { file_path: file, content: OTHER }, then);

/** docs/permissions.md, "Protected files". */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("no tool that edits files changes the script that is executed next", async () => {
    const attempts: readonly ((then: Answer) => Answer)[] = [
      (then) => uses("Read", { file_path: "wf/T.sh" }, write("wf/T.sh", then)),
      (then) => runs(`echo "${OTHER}" > wf/T.sh`, then),
      (then) => runs("cp notes.txt wf/T.sh", then),
      (then) => runs("mv notes.txt wf/T.sh", then),
      (then) => runs("sed -i 's/as written/by sed/' wf/T.sh", then),
      (then) => runs("rm -rf wf", write("wf/T.sh", then)),
    ];
    const answer = attempts.reduceRight((then, attempt) => attempt(then), GOTO);
    const scene = await setScene(client, FILES, [["Alpha", answer]], "wf");

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "as written\n" });
    expect(await scene.project.read("wf/T.sh")).toBe(FILES["wf/T.sh"]);
    expect(await scene.project.list("wf")).toHaveLength(2);
    // Each attempt was made: the model received each result.
    expect(scene.api.turns).toHaveLength(attempts.length + 3);
  });

  it("denies configuration and saved runs, and lets the rest of the folder be changed", async () => {
    const answer = write(
      ".raymond/config.toml",
      runs("rm -rf .raymond", runs("echo new > notes.txt", GOTO)),
    );
    const scene = await setScene(client, FILES, [["Alpha", answer]], "wf");

    const end = await scene.run();

    expect(end.exitCode).toBe(0);
    expect(await scene.project.list(".raymond")).not.toContain("config.toml");
    expect(await scene.project.read("notes.txt")).toBe("new\n");
  });

  it.each(["", "a,b (c) [1]"])(
    "denies names that raymond would use, in the folder %j",
    async (folder) => {
      const top = folder === "" ? "" : `${folder}/`;
      const attempts: readonly ((then: Answer) => Answer)[] = [
        (then) => write("NEW.sh", then),
        (then) => write("NEW.md", then),
        (then) => write("workflow.yaml", then),
        (then) => write("a.schema.json", then),
        (then) => runs("touch a.test.yaml a.sim.yaml", then),
        (then) => runs("cp notes.txt NEW.bat", then),
        (then) => write("sub/.raymond/config.toml", then),
        (then) => runs("mkdir -p sub/.raymond", then),
        (then) => runs("mv sub .raymond", then),
        (then) => runs("cd sub && mv ../evil .raymond", then),
        (then) => write("ok.txt", runs("touch sub/ok", then)),
      ];
      const answer = attempts.reduceRight((then, attempt) => attempt(then), GOTO);
      const files = {
        [`${top}wf/START.sh`]: `echo '<reset cd="${top}wf">ASK</reset>'\n`,
        [`${top}wf/ASK.md`]: FILES["wf/START.md"],
        [`${top}wf/T.sh`]: FILES["wf/T.sh"],
        [`${top}wf/notes.txt`]: "old\n",
        [`${top}wf/sub/x`]: "",
        [`${top}wf/evil/config.toml`]: "",
      };
      const scene = await setScene(client, files, [["Alpha", answer]], `${top}wf`);

      const end = await scene.run();

      expect(end).toMatchObject({ exitCode: 0, stdout: "as written\n" });
      const added = [`${top}wf/ok.txt`, `${top}wf/sub/ok`];
      expect(new Set(await scene.project.list(`${top}wf`))).toEqual(
        new Set([...Object.keys(files), ...added]),
      );
    },
  );

  it("with --no-protect-workflow the change is made, and reported before it is executed", async () => {
    const answer = uses("Read", { file_path: "wf/T.sh" }, write("wf/T.sh"));
    const scene = await setScene(client, FILES, [["Alpha", answer]], "wf");

    const end = await scene.run(["--no-protect-workflow"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "by the model\n" });
    expect(end.stderr).toMatch(/! .*wf\/T\.sh was changed during the run/);
  });
});
