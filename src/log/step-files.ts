import { TOKEN_VARIABLE } from "../engine/ports/process.ts";
import type { StepRecorder } from "../engine/ports/step-events.ts";
import { nameOfStep, type Step } from "../machine/step/step.ts";
import { OutputFile } from "./output-file.ts";
import { writePrivate } from "./private-file.ts";

export interface StepFilesOptions {
  /** Path of the files without extension. */
  readonly base: string;
  /** Maximum bytes of each output. */
  readonly maxBytes: number;
  readonly failed: (error: unknown) => void;
}

export interface StepFiles extends StepRecorder {
  /** The extension of the most useful file after a failure. */
  mainFile(): string;
  /** Adds the last facts and writes everything. No effect if repeated. Never rejects. */
  close(facts: Readonly<Record<string, unknown>>): Promise<void>;
}

/**
 * The files `BASE.jsonl`, `.prompt.md`, `.stdout.txt`, `.stderr.txt` and `.meta.json` of one process (docs/debugging.md,
 * "Debug files"). Empty files are not created.
 */
export function stepFiles(step: Step, options: StepFilesOptions): StepFiles {
  const output = (ending: string, leftOut: (bytes: number) => string): OutputFile =>
    new OutputFile(options.base + ending, { ...options, leftOut });
  const stream = output(".jsonl", jsonGap);
  const stdout = output(".stdout.txt", textGap);
  const stderr = output(".stderr.txt", textGap);

  let facts: Readonly<Record<string, unknown>> = stepFacts(step);
  const written = new Set<string>();
  let closed = false;
  let writing: Promise<void> = Promise.resolve();
  let metaWaits = false;

  const write = (ending: string, text: () => string): void => {
    writing = writing.then(async () => {
      try {
        await writePrivate(options.base + ending, text());
      } catch (error) {
        options.failed(error);
      }
    });
  };
  const writeMeta = (): void => {
    if (metaWaits) return;
    metaWaits = true;
    write(".meta.json", () => {
      metaWaits = false;
      return metaText(facts);
    });
  };

  return {
    prompt(text) {
      if (!closed) write(".prompt.md", () => text);
    },
    mainFile: () => mainDebugFile((ending) => written.has(ending)),
    line(line) {
      written.add(".jsonl");
      stream.push(`${line}\n`);
    },
    stdout(chunk) {
      written.add(".stdout.txt");
      stdout.push(chunk);
    },
    stderr(chunk) {
      written.add(".stderr.txt");
      stderr.push(chunk);
    },
    meta(more) {
      if (closed) return;
      facts = { ...facts, ...inSnakeCase(more) };
      // Prompt steps take minutes, so their facts are written at the start as well.
      if (step.file.kind === "prompt") writeMeta();
    },
    async close(last) {
      if (closed) return;
      closed = true;
      facts = { ...facts, ...last };
      writeMeta();
      await Promise.all([stream.close(), stdout.close(), stderr.close()]);
      await writing;
    },
  };
}

/** The extension of the most useful existing file after a failure. */
export function mainDebugFile(isThere: (ending: string) => boolean): string {
  return [".stderr.txt", ".jsonl", ".stdout.txt"].find(isThere) ?? ".meta.json";
}

function stepFacts(step: Step): Readonly<Record<string, unknown>> {
  return {
    run: step.run,
    agent: step.agent.id,
    state: nameOfStep(step),
    kind: step.file.kind,
    process: step.process,
    attempt: step.attempt,
    cwd: step.cwd,
    ...(step.file.kind === "prompt" && { session: step.session }),
  };
}

/** Without the token of the step, which would let other processes pass as processes of the run. */
function metaText(facts: Readonly<Record<string, unknown>>): string {
  const withoutToken = (key: string, value: unknown) =>
    key === TOKEN_VARIABLE ? undefined : value;
  return `${JSON.stringify(facts, withoutToken, 2)}\n`;
}

/** Converts only the keys, as in all JSON of raymond: names in values are not ours. */
function inSnakeCase(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

function textGap(bytes: number): string {
  return `\n[raymond: ${String(bytes)} bytes left out here]\n`;
}

/** Keeps one JSON object per line. */
function jsonGap(bytes: number): string {
  return `${JSON.stringify({ type: "raymond.left_out", bytes })}\n`;
}
