import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startDesktopProgram } from "../../process/children/desktop-program.ts";
import type { Caller } from "../caller.ts";

/**
 * Opens a URL in the user's browser through a private file that redirects to it: other users can
 * see process arguments, which must not contain the token. Does nothing without a browser.
 */
export async function openInBrowser(url: string, { env }: Caller): Promise<void> {
  const file = path.join(tmpdir(), `raymond-${randomUUID()}.html`);
  const onward = `<!doctype html><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${url}">`;
  await writeFile(file, onward, { mode: 0o600, flag: "wx" });
  const opener = OPENERS[process.platform] ?? ["xdg-open"];
  startDesktopProgram([...opener, pathToFileURL(file).href], env);
  setTimeout(() => void rm(file, { force: true }), READ_BY_THEN_MS).unref();
  process.once("exit", () => {
    rmSync(file, { force: true });
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** A browser may have to start first. */
const READ_BY_THEN_MS = 60_000;
