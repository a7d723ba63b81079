import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type ClientCall, callClient, MODEL, startClient } from "../support/client/client-call.ts";
import { CLIENT_VERSIONS, type ClientVersion } from "../support/client/clients.ts";
import {
  type AnswerTable,
  answers,
  fails,
  limited,
  limitHeaders,
  runs,
  says,
  stalls,
} from "../support/client/messages-answer.ts";
import { messagesApi } from "../support/client/messages-api.ts";
import { type Project, tempProject } from "../support/project.ts";
import { until } from "../support/until.ts";

const PRICE_OF_A_CALL = 0.0045;

/** The behavior of a client that raymond relies on (numbers of the contract). */
describe.each(CLIENT_VERSIONS)("the client %s", (client) => {
  it("says its version and its session, streams, and reports what it costs", async () => {
    const call = await open(client, [["Alpha", says("Hello.", { pieces: 5 })]]);
    const session = randomUUID();

    const end = await callClient("Alpha", { ...call, args: ["--session-id", session] });

    const init = end.events.find((event) => event.subtype === "init");
    expect(init).toMatchObject({ claude_code_version: client, session_id: session, model: MODEL });
    expect(end.events.filter((event) => event.type === "stream_event").length).toBeGreaterThan(5);
    expect(end).toMatchObject({ exitCode: 0, result: { is_error: false, result: "Hello." } });
    expect(end.result?.total_cost_usd).toBeCloseTo(PRICE_OF_A_CALL, 9);
    expect(call.api.charged).toBe(4500);
    expect(call.api.turns[0]).toMatchObject({ prompts: ["Alpha"], session, model: MODEL });
  });

  it("keeps the id on --resume, branches into the id that it is given, and reports the cost of one call, or of the whole conversation, by its version", async () => {
    const call = await open(client, [[/./, says("Yes.")]]);
    const [first, branch] = [randomUUID(), randomUUID()];
    const calls = [
      ["Alpha", "--session-id", first],
      ["Beta", "--resume", first],
      ["Gamma", "--resume", first, "--fork-session", "--session-id", branch],
      ["Delta", "--resume", first],
      ["Epsilon", "--resume", branch],
    ] as const;

    const totals: number[] = [];
    for (const [text, ...args] of calls) {
      const { result } = await callClient(text, { ...call, args });
      totals.push(Math.round((result?.total_cost_usd ?? 0) / PRICE_OF_A_CALL));
    }

    expect(call.api.turns.map((turn) => [turn.session, turn.prompts])).toEqual([
      [first, ["Alpha"]],
      [first, ["Alpha", "Beta"]],
      [branch, ["Alpha", "Beta", "Gamma"]],
      [first, ["Alpha", "Beta", "Delta"]],
      [branch, ["Alpha", "Beta", "Gamma", "Epsilon"]],
    ]);
    expect(totals).toEqual(client === "2.1.197" ? [1, 1, 1, 1, 1] : [1, 2, 3, 3, 4]);
  });

  it("refuses an id that is in use, and an unknown one", async () => {
    const call = await open(client, [[/./, says("Yes.")]]);
    const [used, unknown] = [randomUUID(), randomUUID()];
    await callClient("Alpha", { ...call, args: ["--session-id", used] });

    const again = await callClient("Beta", { ...call, args: ["--session-id", used] });
    const lost = await callClient("Gamma", { ...call, args: ["--resume", unknown] });

    expect(again).toMatchObject({ exitCode: 1, events: [] });
    expect(again.stderr).toContain("already in use");
    expect(lost.exitCode).toBe(1);
    expect(lost.result?.errors?.join()).toContain("No conversation found");
    expect(call.api.turns).toHaveLength(1);
  });

  it("runs a tool, and sends its result in the same turn", async () => {
    const call = await open(client, [["Alpha", runs("echo from-the-shell", says("Done."))]]);

    const end = await callClient("Alpha", { ...call, args: ["--permission-mode", "acceptEdits"] });

    expect(end.result?.result).toBe("Done.");
    expect(call.api.turns[1]).toMatchObject({
      prompts: ["Alpha"],
      toolResults: [{ text: "from-the-shell", isError: false }],
    });
    expect(end.result?.total_cost_usd).toBeCloseTo(2 * PRICE_OF_A_CALL, 9);
    expect(call.api.charged).toBe(9000);
  });

  it("ends well when a tool was denied, and says so", async () => {
    const call = await open(client, [["Alpha", runs("node -e 1", says("I could not."))]]);

    const end = await callClient("Alpha", { ...call, args: ["--permission-mode", "acceptEdits"] });

    expect(end).toMatchObject({ exitCode: 0, result: { is_error: false } });
    expect(end.result?.permission_denials).toHaveLength(1);
  });

  it("prices what comes out of a cache, and what goes into one", async () => {
    const usage = { input: 10, output: 1000, cacheRead: 50_000, cacheWrite: 8000 };
    const call = await open(client, [[/./, says("Yes.", { usage })]]);

    const end = await callClient("Alpha", call);

    expect(Math.round((end.result?.total_cost_usd ?? 0) * 1e6)).toBe(call.api.charged);
  });

  it("continues automatically after max_tokens, with the last part as its result", async () => {
    const call = await open(client, [
      ["Alpha", says("<goto>NE", { stop: "max_tokens" })],
      [/./, says("XT.md</goto>")],
    ]);

    const end = await callClient("Alpha", call);

    expect(end).toMatchObject({ exitCode: 0, result: { result: "XT.md</goto>" } });
  });

  it.each([400, 401, 429, 529])("exits with 1 when the API answers %i", async (status) => {
    const call = await open(client, [[/./, fails(status)]]);

    const end = await callClient("Alpha", call);

    expect(end).toMatchObject({
      exitCode: 1,
      result: { is_error: true, api_error_status: status },
    });
    expect(end.result?.total_cost_usd).toBe(0);
  });

  it("exits with 1 when the connection breaks", async () => {
    const call = await open(client, [[/./, { kind: "reset" }]]);

    const end = await callClient("Alpha", call);

    expect(end).toMatchObject({ exitCode: 1, result: { is_error: true } });
  });

  it("reports the limits of a subscription", async () => {
    const resetsAt = Math.floor(Date.now() / 1000) + 3600;
    const call = await open(client, [
      ["Alpha", says("Yes.", { headers: limitHeaders("allowed_warning", resetsAt) })],
      ["Beta", limited(resetsAt)],
    ]);
    const env = { CLAUDE_CODE_OAUTH_TOKEN: "test", ANTHROPIC_API_KEY: "" };

    const warned = await callClient("Alpha", { ...call, env });
    const refused = await callClient("Beta", { ...call, env });

    expect(warned.exitCode).toBe(0);
    expect(limitsIn(warned.events)).toEqual([{ status: "allowed_warning", resetsAt }]);
    expect(refused).toMatchObject({ exitCode: 1, result: { is_error: true } });
    expect(limitsIn(refused.events)).toEqual([{ status: "rejected", resetsAt }]);
  });

  it("stops after the call that passes its budget, with what was said in the history", async () => {
    const call = await open(client, [[/./, says("All of it.")]]);
    const session = randomUUID();

    const end = await callClient("Alpha", {
      ...call,
      args: ["--session-id", session, "--max-budget-usd", "0.000001"],
    });
    await callClient("Beta", { ...call, args: ["--resume", session] });

    expect(end).toMatchObject({ exitCode: 1, result: { subtype: "error_max_budget_usd" } });
    expect(end.result?.result).toBeUndefined();
    expect(JSON.stringify(end.events)).toContain("All of it.");
    expect(call.api.turns[1]?.replies).toContain("All of it.");
  });

  it("leaves a conversation that can be resumed when it is killed in an answer", async () => {
    const call = await open(client, [
      ["Alpha", stalls("It begins, and then")],
      [/./, says("Yes.")],
    ]);
    const session = randomUUID();
    const running = startClient("Alpha", { ...call, args: ["--session-id", session] });
    // It writes its conversation down about 0.1 s after its first event, and is gone if killed before.
    await transcriptWith("Alpha", call.project);

    running.kill("SIGKILL");
    const killed = await running.exit;
    const end = await callClient("Beta", { ...call, args: ["--resume", session] });

    expect(killed.exitCode).toBeNull();
    expect(end.result?.result).toBe("Yes.");
    expect(call.api.turns.at(-1)?.prompts).toEqual(
      client === "2.1.197"
        ? ["Alpha", "Continue from where you left off.", "Beta"]
        : ["Alpha", "Beta"],
    );
  });
});

async function open(
  client: ClientVersion,
  table: AnswerTable,
): Promise<Required<Pick<ClientCall, "project" | "client" | "api">>> {
  return { client, project: await tempProject({}), api: await messagesApi(answers(table)) };
}

/** Resolves once a conversation on disk holds this text. */
function transcriptWith(text: string, project: Project): Promise<true> {
  const folder = path.join(project.home, ".claude", "projects");
  return until(`a conversation with ${text}`, async () => {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const files = names.filter((name) => name.endsWith(".jsonl"));
    const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), "utf8")));
    return texts.some((conversation) => conversation.includes(text)) ? true : undefined;
  });
}

function limitsIn(events: readonly { readonly rate_limit_info?: object | undefined }[]) {
  return events.flatMap(({ rate_limit_info }) => {
    if (rate_limit_info === undefined) return [];
    const { status, resetsAt } = rate_limit_info as { status: string; resetsAt: number };
    return [{ status, resetsAt }];
  });
}
