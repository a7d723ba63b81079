import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newAccessControl } from "../../../src/dashboard/server/access.ts";
import { serveErrors } from "../../../src/dashboard/server/errors.ts";
import { start } from "../../../src/run/start.ts";
import { AT, openDashboard, projectWith, type TestDashboard } from "../../support/dashboard.ts";

const dashboard = async () => openDashboard(await projectWith({}));

/** A request of a browser that is not signed in. */
async function ask(of: TestDashboard, at: string, init: RequestInit): Promise<Response> {
  return of.app.fetch(new Request(`http://${AT}${at}`, init));
}

/** The text of the page for a browser that is not signed in. */
function textOf(code: string): string {
  return serveErrors[code as "serve/wrong-token" | "serve/not-let-in"]().message;
}

describe("access control", () => {
  it("exchanges the token for an HttpOnly cookie and removes it from the address", async () => {
    const of = await dashboard();

    const first = await ask(of, `/?token=${of.token}`, { headers: { host: AT } });

    expect([first.status, first.headers.get("location")]).toEqual([303, "/"]);
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^raymond_4000=[\w-]{40,}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(cookie).not.toContain(of.token);
    const then = await ask(of, "/", { headers: { host: AT, cookie: cookie.split(";")[0] ?? "" } });
    expect([then.status, await then.text()]).toEqual([200, "<h1>page</h1>"]);
  });

  it("creates a new token and cookie at each start", () => {
    const [one, other] = [
      newAccessControl({ host: "127.0.0.1", port: 1 }),
      newAccessControl({ host: "127.0.0.1", port: 1 }),
    ];

    expect(one.token).not.toBe(other.token);
    expect(one.cookie).not.toBe(other.cookie);
    expect([one.isToken(one.token), one.isToken(other.token), one.isToken("")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ["/?token=wrong", {}, 401, "serve/wrong-token"],
    ["/?token=", {}, 401, "serve/wrong-token"],
    ["/", { cookie: "" }, 401, "serve/not-let-in"],
    ["/api/runs", { cookie: "" }, 401, "serve/not-let-in"],
    ["/page.js", { cookie: "" }, 401, "serve/not-let-in"],
    ["/api/runs", { cookie: "raymond_4000=guess" }, 401, "serve/not-let-in"],
    ["/api/runs", { host: "evil.example:4000" }, 421, "serve/wrong-host"],
    ["/api/runs", { host: "127.0.0.1:4001" }, 421, "serve/wrong-host"],
    ["/api/runs", { host: "" }, 421, "serve/wrong-host"],
    ["/api/runs", { origin: "http://evil.example" }, 403, "serve/wrong-origin"],
    ["/api/runs", { origin: "null" }, 403, "serve/wrong-origin"],
    ["/api/runs", { origin: "https://127.0.0.1:4000" }, 403, "serve/wrong-origin"],
    ["/api/runs", { "sec-fetch-site": "same-site" }, 403, "serve/wrong-origin"],
    ["/api/runs", { "sec-fetch-site": "cross-site" }, 403, "serve/wrong-origin"],
  ] as const)("rejects %s with %j: %i %s", async (at, headers, status, code) => {
    const of = await dashboard();

    const answer = await of.get(at, headers);

    expect(answer.status).toBe(status);
    const text = await answer.text();
    // The page responds with HTML, the API with JSON.
    if (at.startsWith("/api"))
      expect(JSON.parse(text)).toMatchObject({ code, hint: expect.any(String) as unknown });
    else expect(text).toContain(textOf(code));
    expect(text).not.toContain("evil");
  });

  it("reloads the page once after a link from another site, because the cookie is only sent then", async () => {
    const of = await dashboard();

    const from = await ask(of, "/", { headers: { host: AT, "sec-fetch-site": "cross-site" } });
    const then = await ask(of, "/", { headers: { host: AT, "sec-fetch-site": "same-origin" } });

    expect([from.status, await from.text()]).toEqual([200, expect.stringContaining('url=/"')]);
    expect(then.status).toBe(401);
  });

  it("styles the sign-in page with exactly the style that the content security policy allows", async () => {
    const answer = await ask(await dashboard(), "/?token=wrong", { headers: { host: AT } });

    const style = /<style>(.*)<\/style>/.exec(await answer.text())?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(style).not.toBe("");
    expect(answer.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`);
  });

  it("accepts localhost and the IPv6 loopback address as host", async () => {
    const of = await dashboard();

    for (const host of ["localhost:4000", "[::1]:4000", "LOCALHOST:4000"]) {
      expect((await of.get("/api/runs", { host })).status).toBe(200);
    }
  });

  it("sends security headers with every response", async () => {
    const of = await dashboard();

    for (const at of ["/", "/api/runs", "/nothing", "/?token=wrong", `/?token=${of.token}`]) {
      const { headers } = await of.get(at);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  it.each([
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc%2fpasswd",
    "/api/folders/..%2f..%2f/runs/x",
    "/index.html",
    "/.raymond/config.toml",
    "//etc/passwd",
  ])("responds 404 to %s", async (at) => {
    const of = await dashboard();

    expect((await of.get(at)).status).toBe(404);
  });

  it.each(["..%2f..%2fother", "latest", "%00", "a/b", "on"])("finds no run %s", async (name) => {
    const caller = await projectWith({ "w/START.sh": 'echo "<result>done</result>"' });
    await start({ workflow: "w", id: "one" }, caller);
    const of = await openDashboard(caller);

    expect((await of.get(`${of.folder}/runs/${name}`)).status).toBe(404);
    expect((await of.get(`${of.folder}/runs/one`)).status).toBe(200);
    expect(of.bugs).toEqual([]);
  });

  it.each(["PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"])("rejects %s", async (method) => {
    const of = await dashboard();
    const cookie = newAccessControl({ host: "127.0.0.1", port: 4000 }).cookie;

    const answer = await ask(of, "/api/runs", { method, headers: { host: AT, cookie } });

    expect(answer.status).toBe(405);
  });
});
