import { chown, lchown, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { scene } from "./scene.ts";

const END = { say: "<result>done</result>" };

/** Every file and folder below, with its permissions. */
async function below(folder: string): Promise<readonly { file: string; mode: number }[]> {
  const names = await readdir(folder, { recursive: true });
  const files = [folder, ...names.map((name) => path.join(folder, name))];
  return Promise.all(files.map(async (file) => ({ file, mode: (await stat(file)).mode & 0o777 })));
}

describe("the files of a run", () => {
  it("are for the owner only, with any umask, and contain no inherited environment", async () => {
    const { project, bash } = await scene(
      {
        "flow/START.md": "Say it.\n",
        "flow/NEXT.sh": 'printf "<result>%s</result>" "$RAYMOND_RESULT"\n',
      },
      [{ say: '<function return="NEXT">START2</function>' }, END],
    );
    await project.write("flow/START2.md", "Say it again.\n");

    const { exitCode, stdout } = await bash(
      "umask 000; export PASS_WORD=pass-me-on; raymond flow 2>&1",
    );

    expect(stdout).toMatch(/^done$/m);
    expect(exitCode).toBe(0);
    const root = path.join(project.dir, ".raymond");
    const written = await below(root);
    expect(written.length).toBeGreaterThan(12);
    expect(written.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
    for (const { file } of written) {
      const text = await readFile(file, "utf8").catch(() => "");
      expect(text, file).not.toContain("pass-me-on");
    }
  });
});

describe("output files of commands", () => {
  it("is for the owner only, whatever the umask", async () => {
    const { project, bash } = await scene({ "flow/START.sh": "echo '<result>done</result>'\n" });

    const { exitCode } = await bash(
      [
        "umask 000; set -e; raymond flow --workflow-id one",
        "mkdir -m 700 out; raymond report one -o out/report.html; raymond graph flow --output out/flow.svg",
        "raymond convert flow -o out/flow.yaml; raymond convert out/flow.yaml -o out/folder",
        "raymond pack flow --output out/flow.zip; raymond test --from-run one --output out/flow.test.yaml",
        "cd out; raymond init ralph made; cd made; raymond new state PLAN; raymond --init-config",
      ].join("\n"),
    );

    expect(exitCode).toBe(0);
    const written = await below(path.join(project.dir, "out"));
    expect(written.length).toBeGreaterThan(12);
    expect(written.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
  });
});

describe("the token of a run", () => {
  it("is in the state file, and in no debug file of a prompt or a script", async () => {
    const { project, raymond } = await scene(
      { "flow/START.md": "Say it.\n", "flow/END.sh": "echo '<result>done</result>'\n" },
      [{ say: "<goto>END</goto>" }],
    );

    const { exitCode } = await raymond("flow --workflow-id one");

    expect(exitCode).toBe(0);
    const state = JSON.parse(await project.read(".raymond/workflows/one.json")) as {
      readonly token: string;
    };
    expect(state.token).toMatch(/^\w{16,}$/);
    const files = await below(path.join(project.dir, ".raymond", "debug", "one"));
    expect(files.filter(({ file }) => file.endsWith(".meta.json"))).toHaveLength(2);
    for (const { file } of files) {
      const text = await readFile(file, "utf8").catch(() => "");
      expect(text, file).not.toContain(state.token);
    }
  });
});

describe("a stranger's workflow", () => {
  it.each(["START.md", "START.sh"])("is refused where %s leads out of its folder", async (name) => {
    const { project, raymond } = await scene({ "private/key": "echo '<result>key</result>'\n" });
    await mkdir(path.join(project.dir, "flow"));
    await symlink("../private/key", path.join(project.dir, "flow", name));

    const { exitCode, stdout, stderr } = await raymond("flow");

    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("is a link out of the workflow's folder");
  });
});

describe("the output of a model", () => {
  it("is data to a script, and never a command", async () => {
    const value = "$(touch pwned) `touch pwned`; touch pwned | touch pwned & \u001b[2J é";
    const { project, raymond } = await scene(
      {
        "flow/START.md": "Give out the work.\n",
        "flow/WORK.sh": 'printf "%s" "$item" > got.txt\necho "<result/>"\n',
        "flow/DONE.sh": "echo '<result>done</result>'\n",
      },
      [{ say: `<fork next="DONE" item="${value}">WORK</fork>` }],
    );

    const { exitCode } = await raymond("flow");

    expect(exitCode).toBe(0);
    expect(await project.read("got.txt")).toBe(value);
    await expect(project.read("pwned")).rejects.toThrow("ENOENT");
  });

  it.each([
    ["BASH_ENV", "evil.sh"],
    ["ld_preload", "evil.so"],
  ])("cannot become the variable %s", async (name, value) => {
    const { raymond } = await scene(
      {
        "flow/START.md": "Give out the work.\n",
        "flow/WORK.sh": "echo '<result/>'\n",
        "flow/DONE.sh": "echo '<result/>'\n",
      },
      [{ say: `<fork next="DONE" ${name}="${value}">WORK</fork>` }],
    );

    const { exitCode, stderr } = await raymond("flow");

    expect(exitCode).toBe(1);
    expect(stderr).toContain("it could change what a script executes");
  });

  it("sets no variable in capitals that the workflow does not declare", async () => {
    const fork = '<fork next="DONE" ITEM="7" YACC="touch pwned" item="8">WORK</fork>';
    const { project, raymond } = await scene(
      {
        "flow/START.md":
          '---\nallowed_transitions:\n  - { tag: fork, target: WORK, next: DONE, ITEM: "" }\n---\nFork.\n',
        "flow/WORK.sh":
          'printf "%s" "$item,$ITEM,$YACC,$RAYMOND_ATTRIBUTES" > got.txt\necho "<result/>"\n',
        "flow/DONE.sh": "echo '<result>done</result>'\n",
      },
      [{ say: fork }],
    );

    const { exitCode, stderr } = await raymond("flow");

    expect(exitCode).toBe(0);
    expect(await project.read("got.txt")).toBe('8,7,,{"ITEM":"7","YACC":"touch pwned","item":"8"}');
    expect(stderr).toContain("WORK.sh does not receive YACC in its environment");
  });

  it.each(["../private/KEY", "/bin/sh", "START.md\u0000.sh", "con", "start", "ＳTART"])(
    "cannot name a state %j that the folder does not list",
    async (name) => {
      const { raymond } = await scene(
        { "flow/START.md": "Go.\n", "private/KEY.sh": "echo '<result>key</result>'\n" },
        [{ say: `<goto>${name}</goto>` }],
      );

      const { exitCode, stdout, stderr } = await raymond("flow");

      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/Unknown state|must be the name of a state/);
    },
  );
});

describe("another user's .raymond", () => {
  it.for(["folder", "link"])("is not obeyed: a %s", async (what, test) => {
    if (process.getuid?.() !== 0) return test.skip("only root can make files of another user");
    const { project, raymond } = await scene({
      "flow/START.sh": "echo '<result>done</result>'\n",
      "theirs/config.toml": '[raymond]\nnotify = "touch pwned"\nclaude = "./evil"\n',
    });
    const place = path.join(project.dir, ".raymond");
    await symlink("theirs", place);
    if (what === "link") await lchown(place, 12_345, 12_345);
    else await chown(path.join(project.dir, "theirs"), 12_345, 12_345);

    const { exitCode, stderr } = await raymond("flow");

    expect(exitCode).toBe(2);
    expect(stderr).toContain("belongs to another user");
    await expect(project.read("pwned")).rejects.toThrow("ENOENT");
  });
});
