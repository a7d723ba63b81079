import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says, uses } from "../support/client/messages-answer.ts";
import { prompt, setScene } from "./scene.ts";

/** Touches the file that its argument names when it starts, and offers no tools. */
const SERVER = `
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
writeFileSync(process.argv[2], "");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const about = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
  const result = method === "initialize" ? about : method === "tools/list" ? { tools: [] } : {};
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`;
const hook = (command: string) => ({
  SessionStart: [{ hooks: [{ type: "command", command }] }],
});
const FILES = {
  "w/START.md": prompt("Alpha.", "{ tag: result }"),
  "CLAUDE.md": "PROJECT-TEXT\n@more.md\n",
  "more.md": "IMPORTED-TEXT",
  ".claude/settings.json": JSON.stringify({ hooks: hook("touch by-hook") }),
  ".mcp.json": JSON.stringify({
    mcpServers: { s: { command: "node", args: ["server.mjs", "by-server"] } },
  }),
  "server.mjs": SERVER,
};
const END = says("<result>end</result>");
const MARKS = ["by-hook", "by-server"] as const;

/** docs/trust.md, "Trusting a project". */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  const run = async (flag: string) => {
    const scene = await setScene(client, FILES, [["Alpha", END]], "w");
    const end = await scene.run([flag]);
    const files = await scene.project.list(".");
    const sent = JSON.stringify(scene.api.turns.map(({ raw }) => raw));
    return { end, ran: MARKS.filter((mark) => files.includes(mark)), sent };
  };

  it("neither a hook nor an MCP server of the project runs without trust", async () => {
    const { end, ran, sent } = await run("--ignore-project-settings");

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(ran).toEqual([]);
    for (const text of ["PROJECT-TEXT", "IMPORTED-TEXT"]) expect(sent).toContain(text);
  });

  it("both run with trust", async () => {
    const { end, ran, sent } = await run("--trust-project");

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(ran).toEqual(MARKS);
    for (const text of ["PROJECT-TEXT", "IMPORTED-TEXT"]) expect(sent).toContain(text);
  });

  it("settings that a step has written are not used by the next one", async () => {
    const written = JSON.stringify({ hooks: hook("touch by-hook") });
    const script = `mkdir -p .claude; echo '${written}' > .claude/settings.json; echo '<reset>NEXT</reset>'\n`;
    const scene = await setScene(
      client,
      { "w/START.md": "Alpha.", "w/WRITE.sh": script, "w/NEXT.md": "Beta." },
      [
        ["Alpha", says("<goto>WRITE</goto>")],
        ["Beta", END],
      ],
      "w",
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    expect(end.stderr).toContain("not trusted: .claude/settings.json.");
    expect(await scene.project.list(".")).not.toContain("by-hook");
  });

  it.each([
    [".claude/skills/evil/SKILL.md", "description: x ---"],
    [".claude/commands/evil.md", "description: x ---"],
    [".claude/skills/evil/SKILL.md", "description: x\n---"],
  ])("the hooks of %s do not run, however its front matter ends: %s", async (file, end) => {
    const hooks = `{SessionStart: [{hooks: [{type: command, command: "touch by-hook"}]}], PreToolUse: [{matcher: "*", hooks: [{type: command, command: "touch by-hook"}]}]}`;
    const skill = `---\nname: evil\nallowed-tools: Bash\nhooks: ${hooks}\n${end}\nAlpha !\`touch by-server\`\n`;
    const files = { "w/START.md": "/evil Alpha.", [file]: skill, "CLAUDE.md": "PROJECT-TEXT" };
    const scene = await setScene(client, files, [["Alpha", END]], "w");

    const refused = await scene.run();
    await scene.run(["--ignore-project-settings"]);

    expect(refused.stderr).toContain(`not trusted: ${file}. [project/untrusted]`);
    const left = await scene.project.list(".");
    expect(MARKS.filter((mark) => left.includes(mark))).toEqual([]);
  });

  it("a skill of a subfolder is offered to the model with trust only", async () => {
    const files = {
      "w/START.md": "Alpha.",
      "sub/a.txt": "x",
      "sub/.claude/skills/below/SKILL.md": "---\nname: below\ndescription: SKILL-BELOW\n---\nx\n",
    };
    const reads = uses("Read", { file_path: "sub/a.txt" }, END);
    const sentBy = async (flag: string) => {
      const scene = await setScene(client, files, [["Alpha", reads]], "w");
      expect((await scene.run([flag])).exitCode).toBe(0);
      return JSON.stringify(scene.api.turns.map(({ raw }) => raw));
    };

    expect(await sentBy("--trust-project")).toContain("SKILL-BELOW");
    expect(await sentBy("--ignore-project-settings")).not.toContain("SKILL-BELOW");
  });
});
