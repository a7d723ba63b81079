import { expect, it } from "vitest";
import { start } from "../../support/cli.ts";
import { tempProject } from "../../support/project.ts";

it("raymond test --watch runs the tests again after each change, a mistake in them too", async () => {
  const test = (result: string) =>
    `tests:\n  a: { states: { START: [{ reply: <result>1</result> }] }, expect: { result: ${result} } }\n`;
  const project = await tempProject({ "w/START.md": "Go.\n", "w/w.test.yaml": test('"2"') });
  const watching = start(["test", "--watch"], { project });

  await watching.waitForStderr(/0 tests passed, 1 failed/);
  await project.write("w/w.test.yaml", "tests: [\n");
  await watching.waitForStderr(/Invalid YAML/);
  await project.write("w/w.test.yaml", test('"1"'));
  await watching.waitForStderr(/1 test passed, 0 failed/);

  watching.kill("SIGINT");
  await watching.exit.catch(() => undefined);
  expect(await project.read("w/w.test.yaml")).toBe(test('"1"'));
});
