import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { expect, it } from "vitest";
import { describeNeeds, PROC } from "../support/needs.ts";

/** What a process prints of its own /proc before and after it has overwritten the secret. */
function shownBy(secret: string): readonly string[] {
  const module = path.resolve("src/process/redact.ts");
  const text = `
    import { readFileSync } from "node:fs";
    import { isVisibleInProc, redactProcess } from ${JSON.stringify(module)};
    const read = () => ["environ", "cmdline"].map((name) => readFileSync("/proc/self/" + name, "latin1"));
    const before = isVisibleInProc(process.env.SECRET);
    const secret = process.env.SECRET;
    redactProcess(secret);
    console.log(JSON.stringify([before, isVisibleInProc(secret), ...read()].map(String)));`;
  const printed = execFileSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", text, "--", `--url=${secret}`],
    { env: { ...process.env, SECRET: secret, AFTER: "stays" }, encoding: "utf8" },
  );
  return JSON.parse(printed) as readonly string[];
}

describeNeeds(PROC, "a secret that a process was started with", () => {
  it("is in neither the environment nor the command line once it was overwritten", () => {
    const secret = `postgresql://u:${randomUUID()}@host/db`;

    const [before, after, environ, cmdline] = shownBy(secret);

    expect([before, after]).toEqual(["true", "false"]);
    expect(environ).toContain(`SECRET=${"*".repeat(secret.length)}\0`);
    expect(environ).toContain("AFTER=stays\0");
    expect(cmdline).toContain(`--url=${"*".repeat(secret.length)}\0`);
  });
});
