import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { setScene } from "./scene.ts";

/** An MCP server without tools. */
const SERVER = `
import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const about = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
  const result = method === "initialize" ? about : method === "tools/list" ? { tools: [] } : {};
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`;
const FILES = {
  ".mcp.json": JSON.stringify({
    mcpServers: {
      works: { command: "node", args: ["server.mjs"] },
      broken: { command: "/nonexistent/server" },
    },
  }),
  "server.mjs": SERVER,
};

/** docs/claude.md, "MCP servers". */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  const run = async (server: string) => {
    const start = `---\nrequire_mcp: [${server}]\n---\nAlpha.\n`;
    const scene = await setScene(
      client,
      { ...FILES, "w/START.md": start },
      [["Alpha", says("<result>end</result>")]],
      "w",
    );
    const end = await scene.run(["--trust-project"]);
    return { end, requests: scene.api.turns.length, cost: await scene.cost() };
  };

  it.each([
    ["broken", "failed"],
    ["absent", "not configured"],
  ])("sends no request without the required server %s", async (name, status) => {
    const { end, requests, cost } = await run(name);

    expect(end.exitCode).not.toBe(0);
    expect(end.stderr).toContain(
      `The MCP server ${name} of START.md is not connected (${status}).`,
    );
    expect({ requests, cost }).toEqual({ requests: 0, cost: 0 });
  });

  it("answers the prompt with a required server that is connected", async () => {
    expect(await run("works")).toMatchObject({
      end: { exitCode: 0, stdout: "end\n" },
      requests: 1,
    });
  });
});
