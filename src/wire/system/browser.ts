import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startDesktopProgram } from "../../process/children/desktop-program.ts";
import type { Caller } from "../caller.ts";

/**
 * Opens an address in the user's browser. It goes there by a private file that leads on: the list of processes,
 * which others can read, must not show the token in the address. Where there is no browser nothing happens.
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

/** A browser that has to start first takes its time. */
const READ_BY_THEN_MS = 60_000;
