import type { Command } from "commander";
import type { Examples } from "./fleet-examples.ts";
import type { Shell } from "./shell.ts";

/** A command that looks at runs, ends them or takes them away, or is about raymond itself. */
export interface Subcommand {
  readonly name: string;
  readonly about: string;
  /** What may be named: one run, else the last one; or several, else none; or the one that asks; or the one that goes on; or what must be, a workflow. */
  readonly names?: "run" | "runs" | "workflow" | "question" | "live";
  /** What else may be named, behind that, and its help: `[word]`, or `<word>` where it must be. */
  readonly words?: readonly (readonly [word: string, help: string])[];
  /** Words that begin with a dash are its own from the first of `words` on: it has no fixed set of options. */
  readonly parsesWords?: true;
  /** It opens the fleet itself, where that is meant: what it takes `--fleet` for is more than to know which runs. */
  readonly opensFleet?: true;
  /** What stands below its help. */
  readonly examples?: Examples;
  /** What each option does, by its flags. */
  readonly options: Readonly<Record<string, string>>;
  /** The option without which it is about no run, by its name in the options: then no fleet is meant. */
  readonly runOption?: string;
  /** What to do in place of it, where runs of a fleet are meant: it takes none of them. */
  readonly insteadInFleet?: string;
  /** Whether it goes on for as long as a run does. */
  readonly follows?: (options: { readonly follow?: true }) => boolean;
  /** It gets what is named, the options, and the command tree. A number that it returns is the exit code. Loaded when it is called. */
  readonly load: () => Promise<(options: never, shell: Shell, root: Command) => Promise<unknown>>;
}
