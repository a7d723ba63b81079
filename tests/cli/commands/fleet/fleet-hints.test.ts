import type { Command } from "commander";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isFleetMeant, type WhichRuns } from "../../../../src/cli/commands/fleet/in-fleet.ts";
import { commandTree } from "../../../../src/cli/parse/tree.ts";
import { postgresStore } from "../../../../src/fleet/store/store.ts";
import { RaymondError } from "../../../../src/language/basics/errors.ts";
import { initializedFleet, type QuietFleet } from "../../../support/fleet/quiet-fleet.ts";
import { anyRun } from "../../../support/runs.ts";
import { testShell } from "../../../support/test-shell.ts";

/** The output of a command, or the hint of its error. */
async function outputOf({ say }: QuietFleet, words: readonly string[]): Promise<string> {
  try {
    const { out, err } = await say(...words);
    return `${out}\n${err}`;
  } catch (error) {
    if (error instanceof RaymondError) return error.hint ?? "";
    throw error;
  }
}

/** Commands to copy, in backticks or at the end of a line, without placeholders. */
function commandsIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`(raymond [^`\n]+)`/g)];
  const atEnd = [...text.matchAll(/(?:^ *|: )(raymond [^`\n]*?)(?: {2}.*)?[.]?$/gm)];
  const all = [...quoted, ...atEnd].flatMap(([, command]) => command ?? []);
  return all.filter((command) => !/\b(?:RUN|WORKFLOW|URL|CRON|NAME|ACCOUNT)\b/.test(command));
}

/** Parses a command without executing it. Resolves with whether it selects runs of the fleet. */
async function meansFleet(
  command: string,
  { url, dir }: Pick<QuietFleet, "url" | "dir">,
): Promise<boolean> {
  const env = { RAYMOND_FLEET: url };
  const shell = testShell(dir, env);
  const split = [...command.matchAll(/"([^"]*)"|\S+/g)];
  const words = split.slice(1).map(([word, quoted]) => quoted ?? word);
  const root = await commandTree(shell, words);
  const called: Command[] = [];
  for (const each of commandsOf(root)) {
    each.action(() => {
      called.push(each);
    });
  }
  await root.parseAsync(["node", "raymond", ...words]).catch((error: unknown) => {
    throw new Error(`${command}: ${shell.stderr()}`, { cause: error });
  });
  const [one] = called;
  if (one === undefined) throw new Error(`${command}: nothing was called`);
  return isFleetMeant(one.opts<WhichRuns>(), { env });
}

function commandsOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

it("prints only commands for fleet runs that work as printed", async () => {
  const fleet = await initializedFleet();
  const { database, say, machine } = fleet;
  await say("submit", "w", "--workflow-id", "later", "--at", "2h");
  await say("submit", "w", "--workflow-id", "queued");
  await machine("m1");
  await say("fleet", "drain", "m1");
  const store = postgresStore(database, "/nowhere");
  const runs = fc
    .sample(anyRun, { seed: 7, numRuns: 9 })
    .map((run, at) => ({ ...run, id: `r${String(at)}` }));
  for (const run of runs) await store.save(run, 0);
  await store.close();
  await database.query(
    `UPDATE raymond.runs SET holder = (SELECT holder FROM raymond.machines WHERE id = 'm1')
      WHERE id IN ('r0', 'r2', 'r4', 'r6', 'r8')`,
  );
  const ids = ["later", "queued", ...runs.map(({ id }) => id)];
  const calls = [
    ...[
      ["fleet"],
      ["fleet", "workers"],
      ["fleet", "limits"],
      ["fleet", "schedules"],
      ["list"],
      ["why", "unknown"],
    ],
    ...[
      ["fleet", "drain", "m2"],
      ["fleet", "limits", "set", "x", "--runs", "1"],
      ["fleet", "schedules", "pause", "x"],
    ],
    ...[
      ["submit", "w", "--pool", "gpu"],
      ["submit", "w"],
      ["submit", "w", "--machine", "m1"],
    ],
    ...["later", "queued"].flatMap((id) => [
      ["show", id],
      ["logs", id],
    ]),
    ...ids.flatMap((id) => [
      ["status", id],
      ["why", id],
    ]),
    ...["stop", "retry", "answer", "open", "rerun"].map((name) => [
      ...[name, "queued"],
      ...(name === "answer" ? ["yes"] : name === "rerun" ? ["1"] : []),
    ]),
  ];
  const printed = new Set<string>();
  for (const words of calls)
    for (const command of commandsIn(await outputOf(fleet, words))) printed.add(command);

  expect([...printed]).toEqual(
    expect.arrayContaining([
      "raymond retry later",
      "raymond fleet drain m1 --end",
      expect.stringMatching(/^raymond resume r\d/),
    ]),
  );
  for (const command of printed) expect(await meansFleet(command, fleet), command).toBe(true);
});

it("explains after submit --url how other commands find the run", async () => {
  const { sayTo, url } = await initializedFleet();
  const submit = ["submit", "w", "--url", url, "--workflow-id"];
  const how = (id: string) => `To find ${id} with other commands, set RAYMOND_FLEET to that URL.`;

  expect((await sayTo(null)(...submit, "r1")).err).toContain(how("r1"));
  expect((await sayTo(url)(...submit, "r2")).err).not.toContain(how("r2"));
});

it("shows only valid calls as examples in the help of fleet commands", async () => {
  const fleet = { url: "postgresql://localhost/raymond", dir: "/" };
  const shell = testShell("/");
  for (const command of commandsOf(await commandTree(shell))) command.outputHelp();
  const calls = [
    ...shell.stdout().matchAll(/^ {2}(raymond (?:fleet|worker|submit)\b.*?)(?: {2}|$)/gm),
  ];

  expect(calls.length).toBeGreaterThan(15);
  for (const [, call = ""] of calls) expect(await meansFleet(call, fleet), call).toBe(true);
});
