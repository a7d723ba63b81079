import { describe, expect, it } from "vitest";
import { serveErrors } from "../../src/dashboard/server/errors.ts";
import { raymond } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { useChromium } from "./chromium.ts";
import { openRun, serve } from "./served.ts";

const NOT_SIGNED_IN = serveErrors["serve/not-let-in"]().message;

const chromium = useChromium({ hosts: ["evil.test"] });

const DONE = { "flow/START.sh": "echo '<result>done</result>'" };

describe("access", () => {
  it("the token signs a browser in and disappears from the address", async () => {
    const { url } = await serve(await tempProject(DONE));

    const { page } = await chromium.open(url);
    await page.getByRole("heading", { name: "Runs" }).waitFor();

    expect(page.url()).not.toContain("token");
    expect(await page.evaluate("document.cookie + JSON.stringify(localStorage)")).toBe("{}");
  });

  it("a wrong or missing token is rejected", async () => {
    const { url } = await serve(await tempProject(DONE));

    const wrong = await chromium.open(url.replace(/token=.*/, "token=guessed"));
    await wrong.page.getByText("does not belong to this server").waitFor();
    const none = await chromium.open(url.replace(/\?token=.*/, ""));
    await none.page.getByText(NOT_SIGNED_IN).waitFor();
  });

  it("another host name is rejected", async () => {
    const { url } = await serve(await tempProject(DONE));

    const { page } = await chromium.open(url.replace("127.0.0.1", "evil.test"));

    await page.getByText("Access denied: the Host header does not name this server.").waitFor();
  });
});

describe("output of models and scripts", () => {
  it("is always shown as text, with invisible characters escaped", async () => {
    const bad = `<img src=x onerror=window.bad=1><script>window.bad=1</script>`;
    const project = await tempProject({
      "flow/START.sh": `printf '%s \\342\\200\\256turned\\033[2J\\n' '${bad}'\necho '<ask next="END.sh">${bad.replaceAll("<", "&lt;")} ${bad}</ask>'`,
      "flow/END.sh": `echo '<result>${bad}</result>'`,
    });
    await raymond(["flow", "--quiet", "--no-input"], { project });
    const { url } = await serve(project);
    const { page, complaints } = await chromium.open(url);

    await page.getByRole("cell", { name: /<img src=x/ }).waitFor();
    await openRun(page, "flow");
    await page
      .getByRole("region", { name: "Questions" })
      .getByText("<script>window.bad=1</script>")
      .waitFor();
    await page
      .getByRole("listbox")
      .getByRole("option", { name: /START\.sh/ })
      .click();
    const step = page.getByRole("region", { name: "Step 1" });
    await step.getByText(`${bad} \\u202eturned\u241b[2J`).waitFor();

    expect(await page.evaluate("window.bad")).toBeUndefined();
    expect(await page.locator("#page img, #page script").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("without --allow-control", () => {
  it("the page has no actions, and shows the command that answers", async () => {
    const project = await tempProject({
      "flow/START.sh": `echo '<ask next="END.sh" options="yes|no">Ship it?</ask>'`,
      "flow/END.sh": "echo '<result>done</result>'",
    });
    await raymond(["flow", "--quiet", "--no-input"], { project });
    const { url } = await serve(project);
    const { page } = await chromium.open(url);
    await openRun(page, "flow");

    await page.getByText("--allow-control").waitFor();
    const questions = page.getByRole("region", { name: "Questions" });
    await questions.getByText(/raymond answer/).waitFor();

    const buttons = page.getByRole("button", { name: /Start|Stop|Resume|Retry|Answer|yes|no/ });
    expect(await buttons.count()).toBe(0);
  });
});
