/**
 * Stands in for `vitest` where a suite runs on Node for Windows under wine, which has no other way to run it: the
 * file is bundled with this in the place of `vitest`, and the results are read by `suites.test.ts`.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";

export { expect } from "../../node_modules/vitest/dist/index.js";

/** How a test ended. */
export interface SuiteResult {
  readonly name: string;
  /** Null when it passed. */
  readonly error: string | null;
}

type Body = (...args: readonly unknown[]) => unknown;

const tests: { readonly name: string; readonly body: Body; readonly after: readonly Body[] }[] = [];
const groups: { readonly name: string; readonly after: Body[] }[] = [];
let cleanups: Body[] = [];

export function describe(name: string, body: Body): void {
  groups.push({ name, after: [] });
  body();
  groups.pop();
}

export function it(name: string, body: Body): void {
  const names = [...groups.map((group) => group.name), name];
  tests.push({ name: names.join(" > "), body, after: groups.flatMap((group) => group.after) });
}

describe.each = eachOf(describe);
it.each = eachOf(it);

export function afterEach(body: Body): void {
  groups.at(-1)?.after.push(body);
}

export function onTestFinished(body: Body): void {
  cleanups.push(body);
}

export function onTestFailed(): void {
  // Its words are in the result.
}

/** Of vitest's many helpers those that the suites use. */
export const vi = { stubEnv };

function stubEnv(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  cleanups.push(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before;
  });
}

/** As vitest names them: `%s` and `%j`, in their order. */
function eachOf(declare: (name: string, body: Body) => void) {
  return (table: readonly unknown[]) => (name: string, body: Body) => {
    for (const row of table) {
      const args: readonly unknown[] = Array.isArray(row) ? row : [row];
      let next = 0;
      const full = name.replace(/%[sj]/g, () => JSON.stringify(args[next++]));
      declare(full, () => body(...args));
    }
  };
}

async function runOne({ body, after }: (typeof tests)[number]): Promise<string | null> {
  cleanups = [];
  let error: string | null = null;
  for (const step of [body, ...after]) {
    try {
      await step();
    } catch (thrown) {
      error ??= thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    }
  }
  for (const cleanup of cleanups.reverse()) await Promise.resolve(cleanup()).catch(() => undefined);
  return error;
}

/** Once all files have declared their tests. */
setImmediate(() => {
  void (async () => {
    const results: SuiteResult[] = [];
    for (const test of tests) results.push({ name: test.name, error: await runOne(test) });
    writeFileSync(process.argv[2] ?? "", JSON.stringify(results));
    process.exit();
  })();
});
