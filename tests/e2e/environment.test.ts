import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { scene } from "./scene.ts";

const SECRET = 'pa"ss-w0rd/with\\signs';
const KEY = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END KEY-----";
const env = { MY_TOKEN: SECRET, MY_KEY: KEY, OTHER_VALUE: "unrelated" };

/** What must not appear: the value as it is and as a JSON string, and a line of the key. */
const FORMS = [SECRET, JSON.stringify(SECRET).slice(1, -1), "MIIEvQIBADANBgkqhkiG9w0"];

async function expectClean(dir: string, ...outputs: readonly string[]): Promise<void> {
  const root = path.join(dir, ".raymond");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(5);
  for (const entry of files) {
    const file = path.join(entry.parentPath, entry.name);
    const text = await readFile(file, "utf8");
    for (const form of FORMS) expect(text, file).not.toContain(form);
  }
  for (const text of outputs) for (const form of FORMS) expect(text).not.toContain(form);
}

describe("a secret", () => {
  it("that a script, a model and an error print appears in no file and no output", async () => {
    const { project, raymond } = await scene(
      {
        "flow/START.sh": [
          'echo "token: $MY_TOKEN"; echo "key: $MY_KEY" >&2',
          'while IFS= read -rn1 c; do printf %s "$c"; sleep 0.01; done <<<"$MY_TOKEN"; echo',
          'raymond tag goto ASK --input "it is $MY_TOKEN"',
        ].join("\n"),
        "flow/ASK.md": "Repeat {{input}}, please.\n",
        "flow/CHECK.sh":
          'echo "$RAYMOND_RESULT" > seen.txt; echo "bad: $MY_TOKEN $MY_KEY" >&2; exit 3\n',
      },
      [
        {
          before: `I read ${SECRET}`,
          tools: [{ name: "Bash", input: { command: `echo '${SECRET}' '${KEY}'` }, denied: true }],
          stderr: `warning: ${SECRET}`,
          say: `It is ${SECRET}. <goto input="${SECRET.replaceAll('"', "&quot;")}">CHECK</goto>`,
        },
      ],
      { transcripts: true },
    );
    const flags = ["--env-secret", "MY_TOKEN,MY_KEY", "--env-pass", "MY_*", "--run-id", "one"];

    const run = await raymond(["flow", ...flags, "--verbose"], { env });

    expect(run.exitCode).not.toBe(0);
    expect(run.stdout + run.stderr).toContain("***MY_TOKEN***");
    expect(await project.read("seen.txt")).toContain("***MY_TOKEN***");
    const shown = await Promise.all([
      raymond("show one --json", { env }),
      raymond("logs one", { env }),
      raymond("why one", { env }),
      raymond("report one --output report.html", { env }),
      raymond("status one --json", { env }),
    ]);
    const page = await project.read("report.html");
    const outputs = shown.flatMap(({ stdout, stderr }) => [stdout, stderr]);
    await expectClean(project.dir, run.stdout, run.stderr, page, ...outputs);
  });

  it("in the input of a run is replaced, with a warning", async () => {
    const { project, raymond } = await scene({
      "flow/START.sh": 'echo "<result>$RAYMOND_INPUT</result>"\n',
    });
    const args = ["flow", "--env-secret", "MY_TOKEN", "--input", `it is ${SECRET}`];

    const { stdout, stderr } = await raymond(args, { env });

    expect(stdout).toContain("it is ***MY_TOKEN***");
    expect(stderr).toContain("contains the value of a secret");
    await expectClean(project.dir, stdout, stderr);
  });

  it("in an answer of a person is replaced", async () => {
    const { project, raymond } = await scene({
      "flow/START.sh": `echo '<ask next="GOT">Which?</ask>'\n`,
      "flow/GOT.sh": 'echo "<result>$RAYMOND_INPUT</result>"\n',
    });

    await raymond("flow --run-id one --env-secret MY_TOKEN", { env });
    const { stdout, stderr } = await raymond(["answer", `it is ${SECRET}`, "--resume"], { env });

    expect(stdout).toContain("it is ***MY_TOKEN***");
    await expectClean(project.dir, stdout, stderr);
  });

  it("that only the workflow declares is redacted, and read again on resume", async () => {
    const { project, raymond } = await scene({
      "flow/workflow.yaml": "env: { secret: [MY_TOKEN] }\n",
      "flow/START.sh": 'echo "token: $MY_TOKEN"; [ -e ok ] && echo "<result>$MY_TOKEN</result>"\n',
    });

    const first = await raymond("flow --run-id one", { env });
    await project.write("ok", "");
    const changed = { ...env, MY_TOKEN: "another-value" };
    const second = await raymond("resume one", { env: changed });

    expect(first.exitCode).not.toBe(0);
    expect(second.stdout).toContain("***MY_TOKEN***");
    expect(second.stdout + second.stderr).not.toContain("another-value");
    await expectClean(project.dir, first.stdout, first.stderr);
  });
});

describe("the variables of a prompt", () => {
  const files = {
    "flow/START.md": "Say it.\n",
    "other/START.md": "---\nenv: { pass: [MY_TOKEN], set: { MODE: quick } }\n---\nSay it.\n",
    "named/START.md": "Log in with $MY_TOKEN.\n",
  };
  const done = [{ say: "<result>done</result>", times: "always" }];

  it("are the base variables by default, and those of raymond", async () => {
    const { raymond, calls } = await scene(files, done);

    const { stderr } = await raymond("flow", { env: { ...env, ANTHROPIC_API_KEY: "sk-ant-test" } });

    const [call] = await calls();
    expect(call?.env).toMatchObject({
      ANTHROPIC_API_KEY: "sk-ant-test",
      RAYMOND_STEP_TOKEN: expect.any(String) as string,
      RAYMOND_WORKFLOW_ID: expect.any(String) as string,
    });
    expect(Object.keys(call?.env ?? {})).not.toContain("MY_TOKEN");
    expect(stderr).not.toContain("OTHER_VALUE");
  });

  it("are all with --env-pass inherit", async () => {
    const { raymond, calls } = await scene(files, done);
    await raymond("flow --env-pass inherit", { env });
    expect((await calls())[0]?.env).toMatchObject(env);
  });

  it("can be passed by a workflow, which the start of the run reports", async () => {
    const { raymond, calls } = await scene(files, done);
    const { stderr } = await raymond("other", { env });
    expect((await calls())[0]?.env).toMatchObject({ MY_TOKEN: SECRET, MODE: "quick" });
    expect(stderr).toContain("The workflow passes these variables to prompt steps: MY_TOKEN.");
  });

  it("cannot be passed by a workflow once the user has set env_pass", async () => {
    const { project, raymond, calls } = await scene(files, done);
    await project.write(".raymond/config.toml", '[raymond]\nenv_pass = ["OTHER_*"]\n');
    await raymond("trust");
    await raymond("other", { env });
    await raymond("flow", { env });
    const [narrowed, listed] = await calls();
    expect(Object.keys(narrowed?.env ?? {})).not.toContain("MY_TOKEN");
    expect(Object.keys(narrowed?.env ?? {})).not.toContain("OTHER_VALUE");
    expect(listed?.env).toMatchObject({ OTHER_VALUE: "unrelated" });
  });

  it("that the workflow mentions but does not receive are named once", async () => {
    const { raymond } = await scene(files, done);
    const { stderr } = await raymond("named", { env });
    expect(stderr).toContain("Prompt steps do not receive MY_TOKEN");
    expect(stderr).toContain("--env-pass MY_TOKEN");
  });
});

describe("the variables of a script", () => {
  it("are all by default, and can be narrowed by its directive comment and by the user", async () => {
    const print =
      'token=$([ -n "$RAYMOND_STEP_TOKEN" ] && echo token); echo "<result>$MY_TOKEN|$OTHER_VALUE|$MODE|$token</result>"\n';
    const { raymond } = await scene({
      "all/START.sh": print,
      "one/START.sh": `# raymond: env=OTHER_*\n${print}`,
    });
    const result = async (line: string) => (await raymond(line, { env })).stdout;

    expect(await result("all")).toContain(`${SECRET}|unrelated||token`);
    expect(await result("one")).toContain("|unrelated||token");
    expect(await result("all --env-pass MY_TOKEN --env-set MODE=a=b")).toContain(
      `${SECRET}||a=b|token`,
    );
    expect(await result("one --env-pass MY_TOKEN")).toContain("|||token");
  });
});

describe("explain and doctor", () => {
  it("show the variables of each state by name, and no values", async () => {
    const { project, raymond } = await scene({
      "flow/workflow.yaml": "env: { secret: [MY_TOKEN] }\n",
      "flow/START.md":
        "---\nenv: { pass: [MY_TOKEN] }\nallowed_transitions: [{ tag: goto, target: END }]\n---\nSay.\n",
      "flow/END.sh": "# raymond: env=none\necho '<result>x</result>'\n",
    });

    const explained = await raymond("explain flow", { env });
    await project.write(".raymond/config.toml", '[raymond]\nenv_secret = ["NONE"]\n');
    const doctor = await raymond("doctor", { env });

    expect(explained.stdout).toContain("Read the base environment variables, and MY_TOKEN.");
    expect(explained.stdout).toContain("Never write the values of: MY_TOKEN.");
    expect(doctor.stdout).toMatch(/prompts receive \d+ of \d+ variables/);
    expect(doctor.stdout).toContain("names NONE, which is not set here");
    for (const text of [explained.stdout, doctor.stdout]) expect(text).not.toContain(SECRET);
  });
});
