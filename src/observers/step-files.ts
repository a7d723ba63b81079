import { nameOfStep, type Step } from "../core/machine/step.ts";
import { TOKEN_VARIABLE } from "../ports/process.ts";
import type { StepRecorder } from "../ports/step-events.ts";
import { OutputFile } from "./output-file.ts";
import { writePrivate } from "./private-file.ts";

export interface StepFilesOptions {
  /** Path of the files without their endings. */
  readonly base: string;
  /** Bytes kept of each output. */
  readonly maxBytes: number;
  failed(error: unknown): void;
}

/** The debug files of one process, and the end of them. */
export interface StepFiles extends StepRecorder {
  /** The ending of the file that tells most of a failure. */
  telling(): string;
  /** Adds the last facts and writes out everything; later calls do nothing. Never rejects. */
  close(facts: Readonly<Record<string, unknown>>): Promise<void>;
}

/**
 * The files `BASE.jsonl`, `.prompt.md`, `.stdout.txt`, `.stderr.txt` and
 * `.meta.json` of one process (docs/debugging.md, "Debug files"). Each is
 * created when there is something to put in it; a script that prints nothing has
 * only the last.
 */
export function stepFiles(step: Step, options: StepFilesOptions): StepFiles {
  const output = (ending: string, leftOut: (bytes: number) => string): OutputFile =>
    new OutputFile(options.base + ending, {
      maxBytes: options.maxBytes,
      leftOut,
      failed: (error) => {
        options.failed(error);
      },
    });
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
    telling: () => tellingOf((ending) => written.has(ending)),
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
      // A prompt step takes minutes, and someone may want to know what it was called with.
      // A script step may take milliseconds: there one file at its end is enough.
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

/** The ending, of those that are there, of the file that tells most of a failure. */
export function tellingOf(isThere: (ending: string) => boolean): string {
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

/** Who knows the token of a step could have a process taken for one of the run's: no file tells it. */
function metaText(facts: Readonly<Record<string, unknown>>): string {
  const untold = (key: string, value: unknown) => (key === TOKEN_VARIABLE ? undefined : value);
  return `${JSON.stringify(facts, untold, 2)}\n`;
}

/** The keys as in all other JSON of raymond; values are kept, for the names in them are not ours. */
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

/** Still one JSON object a line. */
function jsonGap(bytes: number): string {
  return `${JSON.stringify({ type: "raymond.left_out", bytes })}\n`;
}
