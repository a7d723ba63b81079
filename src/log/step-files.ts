import { TOKEN_VARIABLE } from "../engine/ports/process.ts";
import type { StepRecorder } from "../engine/ports/step-events.ts";
import { nameOfStep, type Step } from "../machine/decide/step.ts";
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
  /** The extensions of all files. */
  endings(): readonly string[];
  /** Adds the last facts and writes everything. No effect if repeated. Never rejects. */
  close(facts: Readonly<Record<string, unknown>>): Promise<void>;
}

/**
 * The files `BASE.jsonl`, `.prompt.md`, `.stdout.txt`, `.stderr.txt` and `.meta.json` of one process (docs/debugging.md,
 * "Debug files"). Empty files are not created.
 */
export function stepFiles(step: Step, options: StepFilesOptions): StepFiles {
  /** By extension, created at their first data: thousands of steps may be in flight. */
  const outputs = new Map<Ending, OutputFile>();

  let facts: Readonly<Record<string, unknown>> = stepFacts(step);
  let closed = false;
  let writing: Promise<void> = Promise.resolve();
  let metaWaits = false;
  let hasPrompt = false;

  const write = (ending: string, text: () => string): void => {
    writing = writing.then(async () => {
      try {
        await writePrivate(options.base + ending, text());
      } catch (error) {
        options.failed(error);
      }
    });
  };
  const append = (ending: Ending, data: string | Uint8Array): void => {
    if (closed) return;
    const leftOut = ending === ".jsonl" ? jsonGap : textGap;
    const output =
      outputs.get(ending) ?? new OutputFile(options.base + ending, { ...options, leftOut });
    outputs.set(ending, output);
    output.push(data);
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
      if (closed) return;
      hasPrompt = true;
      write(".prompt.md", () => text);
    },
    mainFile: () => mainDebugFile((ending) => outputs.has(ending)),
    endings: () => [...outputs.keys(), ".meta.json", ...(hasPrompt ? [".prompt.md"] : [])],
    line(line) {
      append(".jsonl", `${line}\n`);
    },
    stdout(chunk) {
      append(".stdout.txt", chunk);
    },
    stderr(chunk) {
      append(".stderr.txt", chunk);
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
      await Promise.all([...outputs.values()].map((output) => output.close()));
      await writing;
    },
  };
}

/** The extension of the most useful existing file after a failure. */
export function mainDebugFile(isThere: (ending: Ending) => boolean): string {
  return ENDINGS.find(isThere) ?? ".meta.json";
}

/** The outputs of a process, the most useful first. */
const ENDINGS = [".stderr.txt", ".jsonl", ".stdout.txt"] as const;
type Ending = (typeof ENDINGS)[number];

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
