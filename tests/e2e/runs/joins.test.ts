import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";

/** Ten workers of one output, of which two fail; they wait for the file `go`. */
const TEN = {
  "w/START.sh": `for item in 1 2 3 4 5 6 7 8 9 10; do
  echo "<fork on_error='report' item='$item'>WORK</fork>"
done
echo "<join>MERGE</join>"
`,
  "w/WORK.sh": `echo "$item" >>started
until [ -e go ]; do sleep 0.2; done
case $item in 3 | 7) exit 4 ;; esac
echo "<result>did $item</result>"
`,
  "w/MERGE.sh": `echo "<result>$(cat "$RAYMOND_RESULT_FILE")</result>"\n`,
};

describe("ten workers and a join", () => {
  it("are joined after two kills: two failures are reported, and no result is lost", async () => {
    const { project, raymond, start } = await scene(TEN);
    for (const line of ["w --workflow-id one", "--resume one"]) {
      const run = start(line);
      await project.fileWith("started", (text) => text.split("\n").length > 10);
      run.kill("SIGKILL");
      await run.exit;
      await project.write("started", "");
    }
    expect(await project.read(STATE)).toContain('"kind": "join"');
    await project.write("go", "");

    const done = await raymond("--resume one");

    expect(done.exitCode).toBe(0);
    expect(done.stderr).toMatch(/failed: main_work[37] at WORK\.sh, main_work[37] at WORK\.sh/);
    expect(done.stderr).toMatch(/main_work3 +! failed: .*exit code 4/);
    expect(done.stderr).toMatch(
      /main_work3 +file: .*\n(?:.*\n)?.*main_work3 += ended, failure reported/,
    );
    expect(done.stderr).not.toContain("without a result");
    expect((await raymond("status")).stdout).toMatch(
      /main_work3 at WORK\.sh: has failed \(reported to its parent\)\n +The script WORK\.sh failed/,
    );
    const entries = JSON.parse(done.stdout) as readonly Readonly<Record<string, unknown>>[];
    expect(entries.map(({ agent, ok, result }) => [agent, ok, result])).toEqual(
      Array.from({ length: 10 }, (_, index) => {
        const item = String(index + 1);
        const ok = item !== "3" && item !== "7";
        return [`main_work${item}`, ok, ok ? `did ${item}` : undefined];
      }),
    );
    expect(entries[2]).toMatchObject({
      ...{ state: "WORK.sh", attributes: { item: "3" } },
      error: { class: "deterministic", state: "WORK.sh" },
    });
  });

  it("are shown by status while they are waited for", async () => {
    const { project, raymond, start } = await scene(TEN);
    const run = start("w --workflow-id one");
    await project.fileWith("started", (text) => text.split("\n").length > 10);

    expect((await raymond("status")).stdout).toContain("main at MERGE.sh: waiting for 10 workers");

    run.kill("SIGTERM");
    await project.write("go", "");
    await run.exit;
  });
});

describe("a bad join", () => {
  it.each([
    ['<join timeout="1h">MERGE</join>', "<join> has timeout but no timeout_next"],
    ['<join min="-1">MERGE</join>', "must be a non-negative integer"],
    ['<join min="1">MERGE</join>', '<join> has min="1", but there are 0 workers to wait for'],
    ['<fork on_error="ignore">MERGE</fork><join>MERGE</join>', "must be stop or report"],
    ["<join>MERGE</join><goto>MERGE</goto>", "Exactly one is allowed"],
  ])("is refused, with the reason: %s", async (tag, reason) => {
    const { raymond } = await scene({ ...TEN, "w/START.sh": `echo '${tag}'\n` });

    const failed = await raymond("w --workflow-id one");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr.replaceAll(/\s+/g, " ")).toContain(reason);
  });
});
