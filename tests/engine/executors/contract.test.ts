import { writeFile } from "node:fs/promises";
import path from "node:path";
import { simulatedBackend } from "../../../src/clients/simulation/backend.ts";
import { parseSimulation } from "../../../src/clients/simulation/script.ts";
import { executorByKind } from "../../../src/engine/executors/by-kind.ts";
import { baseEnvironment } from "../../../src/engine/executors/environment.ts";
import { promptExecutor } from "../../../src/engine/executors/prompt.ts";
import { scriptExecutor } from "../../../src/engine/executors/script.ts";
import { onlyBackend } from "../../../src/engine/ports/backend.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { pause } from "../../../src/process/settles-within.ts";
import { describeExecutor, type ExecutorCase, type Scenario } from "../../contracts/executor.ts";
import { agent } from "../../support/agents.ts";
import { scriptStep } from "../../support/engine/script-step.ts";
import { tempFolder } from "../../support/folders.ts";
import { step } from "../../support/outcomes.ts";

const REPLIES: { readonly [S in Scenario]: string } = {
  answers: '{ reply: "{{item}} <goto>NEXT</goto>", times: always }',
  hangs: "{ reply: x, delay: 1h }",
  fails: "{ fail: deterministic }",
};

const SCRIPTS: { readonly [S in Scenario]: string } = {
  answers: 'echo "$item <goto>NEXT</goto>"\n',
  hangs: "echo started\nexec sleep 60\n",
  fails: "exit 3\n",
};

type Part = Pick<ExecutorCase, "executor" | "step" | "hasStarted">;

function prompts(scenario: Scenario): Part {
  const simulation = parseSimulation("w.sim.yaml", `states:\n  START: [${REPLIES[scenario]}]`);
  const elapsed = () => Math.round(performance.now());
  return {
    executor: promptExecutor(onlyBackend(simulatedBackend(simulation, pause)), elapsed),
    step: (item) => {
      const session = { mode: "fresh", id: crypto.randomUUID() } as const;
      return step("Do {{item}}.", { agent: agent({ attributes: { item } }), session });
    },
    hasStarted: (seen) => seen.until("accepted"),
  };
}

async function scripts(scenario: Scenario): Promise<Part> {
  const dir = await tempFolder();
  const file = path.join(dir, "BUILD.sh");
  await writeFile(file, SCRIPTS[scenario]);
  const env = baseEnvironment(process.env, new Set());
  const start: typeof startProcess = (call) => startProcess(call, { rungMs: 150 });
  const tempDir = () => Promise.resolve(dir);
  return {
    executor: scriptExecutor({ env, platform: "unix", tempDir, start }),
    step: (item) => {
      const token = `contract.${crypto.randomUUID()}`;
      return scriptStep({ path: file, cwd: dir, token, attributes: { item } });
    },
    hasStarted: (seen) => seen.until("output"),
  };
}

const close = () => Promise.resolve();

describeExecutor("the executor of prompts", (scenario) =>
  Promise.resolve({ ...prompts(scenario), close }),
);

describeExecutor("the executor of scripts", async (scenario) => ({
  ...(await scripts(scenario)),
  close,
}));

describeExecutor("the executor that hands out by kind, for a prompt", async (scenario) => {
  const prompt = prompts(scenario);
  const script = (await scripts(scenario)).executor;
  return { ...prompt, executor: executorByKind({ prompt: prompt.executor, script }), close };
});

describeExecutor("the executor that hands out by kind, for a script", async (scenario) => {
  const script = await scripts(scenario);
  const prompt = prompts(scenario).executor;
  return { ...script, executor: executorByKind({ prompt, script: script.executor }), close };
});
