import path from "node:path";
import { beforeAll, describe, expect } from "vitest";
import type { ReportJson } from "../../src/inspect/json/shapes.ts";
import { prompt, STATE_FILE, setScene } from "../claude/scene.ts";
import { environment, raymond } from "../support/cli.ts";
import { MODEL } from "../support/client/client-call.ts";
import { CLIENT_VERSIONS, clientPath, installClients } from "../support/client/clients.ts";
import { type Answer, says } from "../support/client/messages-answer.ts";
import type { Turn } from "../support/client/messages-turn.ts";
import { itNeeds, onPath, PROC } from "../support/needs.ts";
import { onPty } from "../support/terminal/pty.ts";
import { useChromium } from "./chromium.ts";
import { hasStatus, openRun, serve } from "./served.ts";

const chromium = useChromium();
beforeAll(() => installClients(), 600_000);

const BIN = path.join(import.meta.dirname, "..", "..", "bin", "raymond.js");
/** `script` of util-linux. */
const NEED = PROC.met ? onPath("script") : PROC;
const CLIENT = CLIENT_VERSIONS[1];

const HANGS: Answer = { kind: "hang" };
const FORKS = ["ash", "elm", "oak"].map((item) => `<fork item="${item}">WORK</fork>`).join("");
/** Output of a model that tries to trick the viewer. */
const MARKUP = "<script>document.title='owned'</script>\u001B[2J\u202E";

const about = (item: string) => (turn: Turn) =>
  turn.prompts.some((text) => text.includes(`Item ${item}.`));
const asked = (words: string) => (turn: Turn) => turn.prompt.includes(words);

describe("a run of four agents on the real client", () => {
  itNeeds(
    NEED,
    "runs in the background with two terminals and a browser attached, is killed, and resumed and answered on the page",
    async () => {
      const { project, api } = await setScene(
        CLIENT,
        {
          "flow/START.md": "Plan it: <fork next='WORK'>, then <join target='END'>.",
          "flow/WORK.md": prompt("Item {{item}}.", "{ tag: result }", "{ tag: ask, next: SHIP }"),
          "flow/SHIP.md": prompt("The person said {{input}}.", "{ tag: result }"),
          "flow/END.md": prompt("All are back.", "{ tag: result }"),
        },
        [
          [asked("Plan it"), says(`Three things. ${FORKS}<join>END</join>`)],
          [asked("The person said yes."), says("<result>shipped</result>")],
          [asked("All are back"), says("<result>released</result>")],
          [about("ash"), says(`${MARKUP}<result>done</result>`)],
          [about("elm"), HANGS, says("<result>done</result>")],
          [about("oak"), HANGS, says('<ask next="SHIP" options="yes|no">Ship it?</ask>')],
        ],
      );
      const env = environment({ project, api });
      const here = { ...project, env };
      const command = (...words: readonly string[]) => raymond(words, { project: here });
      const attach = (columns: number) =>
        onPty(`'${process.execPath}' '${BIN}' attach r1`, { cwd: project.dir, env, columns });

      const detached = await command(
        ...["flow", "--workflow-id", "r1", "--model", MODEL, "--on-ask", "wait"],
        ...["--claude", clientPath(CLIENT), "--detach"],
      );
      expect(detached).toMatchObject({ exitCode: 0, stdout: "r1\n" });
      const terminals = [attach(100), attach(40)];
      const { url } = await serve(here, "--allow-control");
      const { page, complaints } = await chromium.open(url);
      await openRun(page, "flow");
      await Promise.all([api.arrival(about("elm")), api.arrival(about("oak"))]);
      await project.fileWith(STATE_FILE, (text) => text.includes('"main_work1": "done"'));
      await hasStatus(page, "running");
      await page.getByRole("tab", { name: "Agents 4" }).waitFor();
      for (const terminal of terminals) await terminal.shows(/^> main_work3 /m);

      const { held_by: driver } = JSON.parse(
        (await command("status", "r1", "--json")).stdout,
      ) as ReportJson;
      if (driver === null) throw new Error("No process owns the run.");
      process.kill(driver.pid, "SIGKILL");
      for (const terminal of terminals) {
        expect(await terminal.exit).toBe(1);
        expect(terminal.lines().join("")).toContain("No process runs r1 any more");
      }
      await hasStatus(page, "crashed");
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText("main_work3 asks in WORK.md").waitFor();

      const late = [attach(100), attach(20)];
      await late[0]?.shows(/^\? main_work3 .* waiting for an answer: Ship it\?/m);
      await late[1]?.shows(/^\? main_w\S*… /m);
      await page.getByRole("button", { name: "yes", exact: true }).click();
      await hasStatus(page, "completed");
      for (const terminal of late) {
        expect(await terminal.exit).toBe(0);
        expect(terminal.lines().at(-1)).toBe("released");
      }
      expect(await page.title()).toBe("r1 · raymond");
      expect(complaints).toEqual([]);
    },
  );
});
