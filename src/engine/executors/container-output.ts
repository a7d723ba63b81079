import type { Step } from "../../machine/decide/step.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";
import { type ContainerProgram, ENDED, STARTED } from "../../process/sandbox/container-args.ts";
import type { ProcessEnd } from "../ports/process.ts";
import type { ContainedCall } from "./container.ts";
import { lastWords } from "./script-failure.ts";

type Ran = Pick<ContainedCall, "container" | "image" | "name">;

/** Standard error of a container, with the reports of its first process. */
export class ContainerOutput {
  readonly #ran: Ran;
  readonly #onStderr: (chunk: Buffer) => void;
  #hasStarted = false;
  #exitCode: number | null = null;
  /** The possible start of a report. */
  #held = "";

  constructor(ran: Ran, onStderr: (chunk: Buffer) => void) {
    this.#ran = ran;
    this.#onStderr = onStderr;
  }

  /** Passes on everything but the reports. */
  push(chunk: Buffer): void {
    // One character per byte.
    let text = this.#held + chunk.toString("latin1");
    const { name } = this.#ran;
    let at = text.indexOf(name);
    while (at !== -1) {
      const rest = at + name.length;
      const report = this.#read(text.slice(rest, rest + LONGEST_REPORT));
      if (report !== null) text = text.slice(0, at) + text.slice(rest + report);
      at = text.indexOf(name, report === null ? rest : at);
    }
    const end = heldFrom(text, name);
    this.#held = text.slice(end);
    this.#pass(text.slice(0, end));
  }

  end(): void {
    this.#pass(this.#held);
    this.#held = "";
  }

  /** The end of the script, as its first process has reported it. */
  endOf(end: ProcessEnd): ProcessEnd {
    const isOwn = end.exitCode === null || end.endedByRaymond || this.#exitCode === null;
    return isOwn ? end : { ...end, exitCode: this.#exitCode };
  }

  /** Why the container failed; null if its script has ended, or raymond or the system has ended it. */
  failure(
    { file }: Pick<Step, "file">,
    { exitCode, endedByRaymond }: ProcessEnd,
    errors: readonly string[],
  ): Failure | null {
    if (exitCode === null || endedByRaymond) return null;
    const { container: program, image } = this.#ran;
    const isLost = this.#hasStarted && this.#exitCode === null && exitCode === 0;
    if (this.#hasStarted && !isLost) return null;
    const what = isLost ? "was lost before the script ended" : "could not be started";
    const message = `The container of the script ${file.name} ${what}: ${program} ended with exit code ${String(exitCode)}.${lastWords(errors)}`;
    const known = HINTS.find(({ text }) => errors.some((line) => text.test(line)));
    const hint = known?.hint(program, image) ?? TRY(program, image);
    return failure("deterministic", message, hint);
  }

  /** The length of the report that a text starts with; null if it starts with none. */
  #read(text: string): number | null {
    if (text.startsWith(STARTED)) {
      this.#hasStarted = true;
      return STARTED.length;
    }
    const ended = ENDED.exec(text);
    if (ended?.index !== 0) return null;
    this.#exitCode = Number(ended[1]);
    return ended[0].length;
  }

  #pass(text: string): void {
    if (text !== "") this.#onStderr(Buffer.from(text, "latin1"));
  }
}

const LONGEST_REPORT = 16;

/** The start of a report whose rest is missing; the length of the text if there is none. */
function heldFrom(text: string, name: string): number {
  const last = text.lastIndexOf(name);
  if (last !== -1 && text.length - last < name.length + LONGEST_REPORT) {
    if (!text.includes("\n", last)) return last;
  }
  for (let length = Math.min(name.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(name.slice(0, length))) return text.length - length;
  }
  return text.length;
}

type Hint = (program: ContainerProgram, image: string) => string;

const TRY: Hint = (program, image) =>
  `Check that this command works: ${program} run --rm --entrypoint=bash ${image} --version`;

/** By the messages of both programs. */
const HINTS: readonly { readonly text: RegExp; readonly hint: Hint }[] = [
  {
    text: /no such image|image not known|unable to find image/i,
    hint: (program, image) =>
      `raymond does not download images. If you trust it: ${program} pull ${image}`,
  },
  {
    text: /cannot connect|is the docker daemon running/i,
    hint: (program) => `Start its daemon, or check the connection: ${program} info`,
  },
  {
    text: /"?bash"?: (?:executable file|command) not found|exec: "bash"/i,
    hint: (_program, image) => `The image ${image} must contain bash.`,
  },
];
