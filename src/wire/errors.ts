import { shellWord } from "../console/shell-word.ts";
import type { LockHolder } from "../engine/ports/store.ts";
import { defineErrors, RaymondError } from "../language/basics/errors.ts";
import type { DeclaredVar } from "../language/workflow/files/manifest.ts";
import {
  describeProblem,
  type RuleId,
  type StateProblem,
} from "../language/workflow/files/state-file.ts";
import { didYouMean, listed } from "../language/workflow/quote.ts";
import type { RunId } from "../machine/model/run-state.ts";
import { takeOverHint } from "../storage/errors.ts";
import type { TrustSubject } from "./trust/trusted.ts";

export const wireErrors = defineErrors({
  "run/unknown-backend": (id: RunId, backend: string, known: readonly string[]) => ({
    message: `Cannot resume run ${id}: this version of raymond has no backend "${backend}".`,
    hint: `It has ${listed(known)}. Use the version that started the run, or a newer one.`,
  }),
  "config/unknown-agent": (name: string, known: readonly string[]) => ({
    message: `This version of raymond has no coding agent "${name}".`,
    hint: `${didYouMean(name, known)}It has ${listed(known)}. Correct the setting agent or client, or agent in the workflow.`,
  }),
  "run/scope-gone": (id: RunId, folder: string) => ({
    message: `Cannot find the workflow of run ${id}: ${folder}`,
    hint: `Restore the folder. If it was renamed, rename it back, or create a link to it: ln -s NEW ${shellWord(folder)}`,
  }),
  "run/out-of-reach": (
    id: RunId,
    holder: LockHolder,
    reason: "elsewhere" | "not-permitted" | "only-pid",
  ) => {
    const { pid, host, startedAt } = holder;
    const { why, hint } = OUT_OF_REACH[reason];
    const takeOver = reason === "not-permitted" ? "" : ` ${takeOverHint(id, holder)}`;
    return {
      message: `Run ${id} is locked by process ${String(pid)} on ${host}, started at ${startedAt}, ${why}.`,
      hint: `${hint}${takeOver}`,
    };
  },
  "run/missing-var": (
    workflow: string,
    missing: readonly Pick<DeclaredVar, "name" | "description">[],
  ) => {
    const names = missing.map(({ name, description }) =>
      description === null ? name : `${name} (${description})`,
    );
    const flags = missing.map(({ name }) => `--var ${name}=…`).join(" ");
    return {
      message: `${workflow} requires ${names.join(", ")}.`,
      hint: `Add ${flags}. ${seeHelp(workflow)}`,
    };
  },
  "run/unfit-var": (problem: string, workflow: string) => ({
    message: `--var ${problem}`,
    hint: seeHelp(workflow),
  }),
  "run/missing-input": (workflow: string, description: string | null) => ({
    message: `${workflow} requires --input${description === null ? "" : `: ${description}`}.`,
    hint: `Add --input TEXT, or --input - to read standard input. ${seeHelp(workflow)}`,
  }),
  "run/no-editor": (file: string) => ({
    message: `No editor to open ${file}: neither VISUAL nor EDITOR is set.`,
    hint: "Set one, as in EDITOR=nano raymond rerun …, or edit the file yourself and omit --edit.",
  }),
  "run/editor-failed": (command: string, exitCode: number | null) => ({
    message: `The editor (${command}) ${exitCode === null ? "was killed by a signal" : `exited with code ${String(exitCode)}`}. No run was started.`,
    hint: "Run the command again, or edit the file yourself and omit --edit.",
  }),
});

const seeHelp = (workflow: string) => `For its parameters run: raymond help ${workflow}`;

const OUT_OF_REACH = {
  elsewhere: {
    why: "and cannot be reached from here",
    hint: "Run the same command on that host, or in that container.",
  },
  "not-permitted": {
    why: "and you are not permitted to signal it",
    hint: "Another user owns the process. Run the same command as that user.",
  },
  "only-pid": {
    why: "and is identified only by its pid, which another process may use now",
    hint: "Check that process. If it is raymond, end it there.",
  },
} as const;

export class BadStateError extends RaymondError {
  override readonly name = "BadStateError";
  readonly code: `lint/${RuleId}`;

  constructor(path: string, problem: StateProblem) {
    super(describeProblem(path, problem), { hint: problem.hint });
    this.code = `lint/${problem.rule}`;
  }
}

/** Files of the project decide what is executed, and the user has not trusted them. */
export class UntrustedProjectError extends RaymondError {
  override readonly name = "UntrustedProjectError";
  readonly code = "project/untrusted";
  readonly subject: TrustSubject;
  readonly untrusted: readonly string[];

  constructor(subject: TrustSubject, untrusted: readonly string[]) {
    const { problem, hint } = UNTRUSTED[subject.kind];
    super(`${subject.place} ${problem}: ${shortList(untrusted)}.`, { hint });
    this.subject = subject;
    this.untrusted = untrusted;
  }
}

export const UNTRUSTED = {
  files: {
    brings: "has files that coding agents obey",
    problem: "has files that coding agents obey, and that you have not trusted",
    hint: "Check them. To use them, run `raymond trust`, or add --trust-project. To run prompts without them, add --ignore-project-settings.",
  },
  settings: {
    brings: "sets",
    problem: "has settings that you have not trusted",
    hint: "Check these settings. To use them, run `raymond trust`, or add --trust-project.",
  },
  runs: {
    brings: "is a state folder with runs",
    problem: "is a state folder that raymond did not create for you in this place, with",
    hint: "Check these values. If you have copied or restored this folder, or received it from a source that you trust, add --trust-project.",
  },
} as const;

const SHOWN = 20;

/** The first items, and the number of the others. */
export function shortList(items: readonly string[]): string {
  const more = items.length - SHOWN;
  return `${items.slice(0, SHOWN).join(", ")}${more > 0 ? `, and ${String(more)} more` : ""}`;
}

/**
 * A saved run could not be driven to its end, for example because the disk is full. It can be
 * resumed. `cause` is the error, so this is not a RaymondError.
 */
export class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
  readonly run: RunId;

  constructor(run: RunId, cause: unknown) {
    super(`Run ${run} was interrupted by an error.`, { cause });
    this.run = run;
  }
}
