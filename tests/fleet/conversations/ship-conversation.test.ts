import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { restoreConversation } from "../../../src/fleet/conversations/restore-conversation.ts";
import { Shipped, shipConversation } from "../../../src/fleet/conversations/ship-conversation.ts";
import { transcriptFolder } from "../../../src/fleet/conversations/transcript-folder.ts";
import { Secrets } from "../../../src/process/secrets/secrets.ts";
import { tempFolder } from "../../support/folders.ts";

it("stores no value of a secret, and restores a conversation of the same length", async () => {
  const folder = await tempFolder();
  const [client, shared] = [path.join(folder, "client"), path.join(folder, "shared")];
  const file = path.join(client, "s1.jsonl");
  const beside = path.join(client, "s1");
  await mkdir(beside, { recursive: true });
  await mkdir(shared);
  const line = (text: string) => `${JSON.stringify({ text: `it is ${text}` })}\n`;
  const secrets = new Secrets({
    environments: [{ TOKEN: 'my"secret' }],
    ignoreCase: false,
    warn: () => undefined,
  });
  secrets.declare(["TOKEN"]);
  const store = transcriptFolder(shared, 1);
  const shipped = new Shipped(new Map());
  const ship = () =>
    shipConversation(
      { session: "s1", length: null, cwd: "/", owner: "claude" },
      shipped,
      store,
      () => Promise.resolve({ file, beside }),
      (write) => secrets.mask(write),
    );

  await writeFile(file, line('my"secret'));
  await writeFile(path.join(beside, "tool.txt"), 'my"secret');
  await ship();
  await appendFile(file, line('my"secret') + line("public"));
  const length = (await ship()) ?? 0;

  const original = await readFile(file, "utf8");
  expect(length).toBe(Buffer.byteLength(original));
  const other = path.join(folder, "other");
  const to = { file: path.join(other, "s1.jsonl"), beside: path.join(other, "s1"), aside: folder };
  expect(await restoreConversation("s1", length, store, to)).toBe(true);
  const restored = await readFile(to.file, "utf8");
  const masked = JSON.stringify({ text: `it is ${"*".repeat(10)}` });
  expect(restored).toBe(`${masked}\n${masked}\n${line("public")}`);
  expect(await readFile(path.join(to.beside, "tool.txt"), "utf8")).toBe("*********");
});
