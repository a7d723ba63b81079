import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../../src/language/workflow/files/manifest.ts";
import { parseSingleFile } from "../../../../src/language/workflow/files/single-file.ts";
import { parsePrompt } from "../../../../src/language/workflow/front-matter.ts";
import { parseScript } from "../../../../src/language/workflow/policy/directive.ts";

const prompt = (env: string) => parsePrompt("A.md", `---\nenv: ${env}\n---\nHello`).env;
const script = (directive: string) => parseScript("A.sh", `# raymond: ${directive}\n`).env;

describe("env", () => {
  it("is read in front matter, workflow.yaml and directive comments", () => {
    const declared = { pass: ["NPM_TOKEN", "AWS_*"], set: { CI: "1" }, secret: ["NPM_TOKEN"] };
    const text = '{ pass: [NPM_TOKEN, "AWS_*"], set: { CI: 1 }, secret: [NPM_TOKEN] }';
    expect(prompt(text)).toEqual(declared);
    expect(parseManifest(`env: ${text}\n`).env).toEqual(declared);
    expect(script("env=NPM_TOKEN,AWS_* timeout=5s").pass).toEqual(["NPM_TOKEN", "AWS_*"]);
    expect(script("env=none").pass).toEqual([]);
    expect(script("env=inherit").pass).toEqual(prompt("inherit").pass);
  });

  it("of a script in a single file keeps its meaning as a directive comment", () => {
    const text = "states:\n  A: { sh: echo, env: { pass: [B, C_*] } }\n";
    const state = parseSingleFile(text, "w.yaml").states.get("A.sh");
    expect(state?.file.env.pass).toEqual(["B", "C_*"]);
    expect(script(state?.directive ?? "").pass).toEqual(["B", "C_*"]);
  });

  it.each(["[A]", "all", "{ pass: A }", "{ pass: ['*'] }", "{ pass: ['A-B'] }", "{ other: [A] }"])(
    "%s is rejected",
    (text) => {
      expect(() => prompt(text)).toThrow(/env/);
    },
  );

  it.each([
    ...["PATH", "LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS", "GIT_SSH_COMMAND", "https_proxy"],
    ...["ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR", "AWS_ENDPOINT_URL", "GOOGLE_CLOUD_PROJECT"],
    ...["RAYMOND_STEP_TOKEN", "IS_SANDBOX", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  ])("of a workflow cannot set %s", (name) => {
    const problem = new RegExp(`A workflow cannot set ${name}`);
    expect(() => prompt(`{ set: { ${name}: x } }`)).toThrow(problem);
    expect(() => parseManifest(`env: { set: { ${name}: x } }\n`)).toThrow(problem);
  });
});
