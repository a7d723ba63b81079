import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Running, raymond, start } from "../../support/cli.ts";
import { type Project, tempProject } from "../../support/project.ts";
import { until } from "../../support/until.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** A server process and a client that is signed in. */
async function serving(project: Project, ...flags: readonly string[]) {
  const running = start(["serve", "--json", ...flags], { project });
  onTestFinished(async () => {
    running.kill("SIGKILL");
    await running.exit;
  });
  const printed = await lineOf(running);
  const { url, urls, port } = JSON.parse(printed) as {
    readonly url: string;
    readonly urls: readonly string[];
    readonly port: number;
  };
  const arrived = await ask(url, {});
  const cookie = String(arrived.headers["set-cookie"]).split(";")[0] ?? "";
  const at = `http://127.0.0.1:${String(port)}`;
  const get = async (path: string) =>
    JSON.parse((await ask(`${at}${path}`, { cookie })).text) as Json;
  const post = async (path: string, body: object) => {
    const headers = { cookie, origin: at, "content-type": "application/json" };
    const { status, text } = await ask(`${at}${path}`, headers, JSON.stringify(body));
    const answer: Json = { ...(JSON.parse(text) as Json), status };
    return answer;
  };
  const { folders } = (await get("/api/runs")) as { folders: readonly { folder: string }[] };
  const folder = `/api/folders/${folders[0]?.folder ?? ""}`;
  return { running, url, urls, port, at, cookie, arrived, get, post, folder };
}

type Json = Readonly<Record<string, unknown>>;

async function lineOf(running: Running): Promise<string> {
  return running.waitForStdout(/^\{[\s\S]*\}\n/).then(() => running.stdout());
}

/** `fetch` does not allow a custom Host header. */
function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const asked = request(url, { method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const ASKS = {
  "ask/START.sh": 'echo "<ask next=\\"END.sh\\">Ship it?</ask>"',
  "ask/END.sh": 'echo "<result>$RAYMOND_RESULT</result>"',
};

describe("raymond serve", () => {
  it("starts a run that outlives it, answers and resumes it, and another server shows it", async () => {
    const project = await tempProject(ASKS);
    const first = await serving(project, "--allow-control");

    const started = await first.post(`${first.folder}/runs`, { workflow: "ask", input: "hello" });
    expect(started).toMatchObject({ status: 200, outcome: "started" });
    const run = `${first.folder}/runs/${String(started["workflow_id"])}`;
    first.running.kill("SIGKILL");

    const second = await serving(project, "--allow-control");
    // The process of a completed run may hold its lock for a moment.
    const over = (wanted: string) =>
      until(`a run that is ${wanted}, and released`, async () => {
        const seen = await second.get(run);
        return seen["status"] === wanted && seen["held_by"] === null ? seen : undefined;
      });
    const [asked] = (await over("paused"))["questions"] as readonly Json[];
    const body = { agent: "main", number: asked?.["number"], text: "yes" };
    expect(await second.post(`${run}/answer`, body)).toMatchObject({
      status: 200,
      outcome: "kept",
    });
    expect(await second.post(`${run}/resume`, {})).toMatchObject({
      status: 200,
      outcome: "resumed",
    });
    await over("completed");

    const again = await second.post(`${run}/resume`, {});
    expect(again).toMatchObject({ status: 409, code: "run/completed" });
    expect(await second.post(`${second.folder}/runs`, { workflow: "none" })).toMatchObject({
      status: 404,
      code: "workflow/not-found",
    });
    second.running.kill("SIGTERM");
    await second.running.exit;
    // The process logs the end of the run before it exits.
    await until("the end of all", async () => (await project.orphans()).length === 0 || undefined);
  });

  it("stops a run of another process, and streams its events", async () => {
    const project = await tempProject({
      "w/START.sh": "touch here; sleep 300; echo '<result>late</result>'",
    });
    const run = start(["w", "--workflow-id", "long"], { project });
    await project.fileWith("here");
    const of = await serving(project, "--allow-control");
    const events = stream(`${of.at}${of.folder}/runs/long/events?after=0`, of.cookie);

    const stopped = await of.post(`${of.folder}/runs/long/stop`, {});

    expect(stopped).toMatchObject({ status: 200 });
    await run.exit;
    await until("the end event", () =>
      Promise.resolve(
        /^event: logged\nid: \d+\ndata: .*"run.ended"/m.test(events.text()) || undefined,
      ),
    );
    await until("the last sight of it", () =>
      Promise.resolve(/"status":"interrupted"/.test(events.text()) || undefined),
    );
    events.close();
  });

  it("listens only on the loopback address, and requires the token", async () => {
    const project = await tempProject(ASKS);
    const of = await serving(project);

    expect(of.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    expect(of.arrived).toMatchObject({ status: 303, headers: { location: "/" } });
    expect((await ask(`${of.at}/`, { cookie: of.cookie })).text).toContain("<!doctype html>");
    for (const [headers, status] of [
      [{}, 401],
      [{ cookie: "raymond_1=x" }, 401],
      [{ cookie: of.cookie, host: "evil.example" }, 421],
      [{ cookie: of.cookie, origin: "http://evil.example" }, 403],
    ] as const) {
      expect(await ask(`${of.at}/api/runs`, headers)).toMatchObject({ status });
    }
    expect(await of.post(`${of.folder}/runs`, { workflow: "ask" })).toMatchObject({
      status: 403,
      code: "serve/read-only",
    });
    // It does not listen on other addresses.
    await expect(ask(`http://127.0.0.2:${String(of.port)}/`, {})).rejects.toThrow();
  });

  it("prints the addresses of all interfaces with --host 0.0.0.0", async () => {
    const of = await serving(await tempProject(ASKS), "--host", "0.0.0.0");
    const own = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
      .map(({ address }) => address);

    const hosts = of.urls.map((url) => new URL(url).hostname);

    expect(hosts).toEqual([...own, "127.0.0.1"]);
    for (const url of of.urls) {
      expect(await ask(url, {})).toMatchObject({ status: 303 });
      expect(await ask(new URL("/api/runs", url).href, {})).toMatchObject({ status: 401 });
    }
  });

  it("rejects remote control without --allow-remote-control", async () => {
    const project = await tempProject(ASKS);

    const refused = await raymond(["serve", "--host", "0.0.0.0", "--allow-control"], { project });
    const allowed = await serving(project, "--host", "0.0.0.0", "--allow-remote-control");

    expect([refused.exitCode, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("[serve/remote-control]");
    expect(JSON.parse(allowed.running.stdout())).toMatchObject({ control: true });
  });

  it("reports a used port and missing runs", async () => {
    const project = await tempProject(ASKS);
    const of = await serving(project);

    const taken = await raymond(["serve", "--port", String(of.port)], { project });
    expect([taken.exitCode, taken.stderr]).toEqual([
      2,
      expect.stringContaining("serve/port-taken"),
    ]);
    const folder = await raymond(["serve", "ask"], { project });
    expect([folder.exitCode, folder.stderr]).toEqual([
      7,
      expect.stringContaining("serve/no-runs-there"),
    ]);
    const bad = await raymond(["serve", "--port", "seventy"], { project });
    expect([bad.exitCode, bad.stderr]).toEqual([2, expect.stringContaining("--port")]);
    // A second server for the same runs works.
    expect((await serving(project)).port).not.toBe(of.port);
    of.running.kill("SIGTERM");
    expect((await of.running.exit).exitCode).toBe(0);
  });
});

/** Received events of a stream. */
function stream(url: string, cookie: string): { text(): string; close(): void } {
  let text = "";
  const asked = request(url, { headers: { cookie } }, (answer) => {
    answer.setEncoding("utf8");
    answer.on("data", (chunk: string) => {
      text += chunk;
    });
    answer.on("error", () => undefined);
  });
  asked.on("error", () => undefined);
  asked.end();
  return { text: () => text, close: () => asked.destroy() };
}
