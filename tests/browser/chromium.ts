import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { WAIT_MS } from "../support/until.ts";

/** A page in a browser context of its own. */
export interface Tab {
  readonly page: Page;
  /** Errors of scripts, and violations of the content security policy. */
  readonly complaints: readonly string[];
}

/** A browser for the tests of a file, opened once. `hosts`: names that resolve to this machine. */
export function useChromium({ hosts = [] }: { readonly hosts?: readonly string[] } = {}) {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const executablePath = process.env["RAYMOND_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
    if (!existsSync(executablePath)) {
      throw new Error(`${executablePath} not found. Install it with: npm run test:browser`);
    }
    const map = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(",");
    // Root cannot use the sandbox. The tests open only our own page.
    const args = ["--no-sandbox", ...(map === "" ? [] : [`--host-resolver-rules=${map}`])];
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser?.close());

  return {
    async open(url: string, options: BrowserContextOptions = {}): Promise<Tab> {
      if (browser === undefined) throw new Error("The browser is not open yet.");
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      onTestFinished(() => context.close());
      context.setDefaultTimeout(WAIT_MS);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", ({ message }) => complaints.push(message));
      page.on("console", (message) => {
        const text = message.text();
        if (message.type() === "error" && !/Failed to load resource|ERR_/.test(text))
          complaints.push(text);
      });
      await page.goto(url);
      return { page, complaints };
    },
  };
}
