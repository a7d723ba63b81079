import type { Subcommand } from "./subcommand.ts";
import { JSON_FLAG, NOT_IN_FLEET, RUNS, STATE_DIR } from "./subcommand-options.ts";

/** Those that write, check, draw or try workflows. */
export const WORKFLOW_SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: "init",
    about: "write a workflow to begin with, from a template; without one, list the templates",
    words: [
      ["[template]", "such as ralph"],
      ["[folder]", "where to put it: a new folder (default: one that is called as the template)"],
    ],
    options: {
      "--windows": "include the scripts for Windows (default on Windows)",
      "--skill": "write the skill by which Claude Code knows how to write workflows",
      ...JSON_FLAG,
    },
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  {
    name: "new",
    about: "write a file of a workflow to begin with: a state, in the current folder",
    words: [
      ["<what>", "state"],
      ["<name>", "of the state: a prompt (NAME or NAME.md), or a script (NAME.sh, NAME.bat)"],
    ],
    options: {
      "--to <state...>": "where it may lead, by goto; else it gives a result",
      "--in <folder>": "the folder of the workflow, in place of the current one",
      ...JSON_FLAG,
    },
    load: async () => (await import("./commands/new.ts")).newCommand,
  },
  {
    name: "tag",
    about: "print a tag with escaped values, for scripts",
    words: [
      ["<tag>", "goto, reset, fork, result …: raymond help tags"],
      ["[words...]", "TARGET (or - for standard input), --NAME VALUE, --NAME-file FILE"],
    ],
    parsesWords: true,
    examples: [
      ['raymond tag reset WORK --input "$item"', "any text in an attribute"],
      ["raymond tag result - <report.md", "a payload from standard input"],
      ["raymond tag goto FIX --input-file log.txt", "an attribute from a file"],
      ["raymond tag fork WORKER --item-lines list.txt", "one tag for each line of a file"],
    ],
    options: {},
    load: async () => (await import("./commands/tag.ts")).tagCommand,
  },
  {
    name: "lint",
    about: "find what is wrong with workflows, without running any",
    words: [["<paths...>", "folders, zips, .yaml files with states, or state files"]],
    options: {
      ...JSON_FLAG,
      "--format <format>": "text, json, sarif or github (default: text)",
      "--fix": "mend in the files what is safe to mend",
      "--watch": "look again whenever a file has changed",
      "--max-warnings <n>": "end with 2 also where there are more warnings",
      "--platform <platform>": "where they are to run, unix or windows (default: here)",
      "--var <name...>": "a variable that is given by --var, and so fills a placeholder",
    },
    load: async () => (await import("./commands/lint.ts")).lintCommand,
  },
  {
    name: "convert",
    about: "turn the folder of a workflow into one file, or that file into a folder",
    names: "workflow",
    options: { "-o, --output <path>": "the file or the folder to write; else a file is printed" },
    load: async () => (await import("./commands/convert.ts")).convertCommand,
  },
  {
    name: "graph",
    about: "draw a workflow: its states and where each can lead; or a run of it",
    words: [["[workflow]", "a folder, zip, .yaml or state file (default: the current folder)"]],
    options: {
      "--format <format>": "mermaid, dot, svg or json (default: mermaid, or as the file ends)",
      "--output <file>": "write it to this file, in place of what is there",
      "--run <run>":
        "lay a run over it: visits, time and cost; without a workflow, that of the run",
      "--json": "the same as --format json",
      ...RUNS,
    },
    runOption: "run",
    load: async () => (await import("./commands/graph.ts")).graphCommand,
  },
  {
    name: "explain",
    about: "say in sentences what a workflow does, state by state",
    words: [["[workflow]", "a folder, zip, .yaml or state file (default: the current folder)"]],
    options: { ...JSON_FLAG, ...STATE_DIR },
    load: async () => (await import("./commands/explain.ts")).explainCommand,
  },
  {
    name: "pack",
    about: "pack the folder of a workflow into a zip whose name promises its hash",
    words: [["<folder>", "the folder of a workflow, with all that its scripts need"]],
    options: {
      "--output <path>": "the file to write, or the folder to put it in (default: the current one)",
      ...JSON_FLAG,
    },
    load: async () => (await import("./commands/pack.ts")).packCommand,
  },
  {
    name: "test",
    about: "run the tests of workflows (*.test.yaml): no model, no cost, no time that passes",
    words: [["[paths...]", "folders, workflows or test files; else the current folder"]],
    options: {
      "--run-scripts": "really run the scripts that a test gives no outputs for",
      "--watch": "run them again whenever a file beside them has changed",
      "--update": "write what has happened into the tests that expect something else",
      "--coverage [percent]": "show what the tests have come through; fail below so many percent",
      "--format <format>": "text, json, or junit for CI services",
      "--json": "the same as --format json",
      "--from-run <run>": "write a test that goes as this run has gone, and run no other",
      "--output <path>": "where that test is written; else beside its workflow",
      ...STATE_DIR,
      ...NOT_IN_FLEET,
    },
    runOption: "fromRun",
    insteadInFleet:
      "A test lies beside the files of its workflow, and a fleet has copies of them: run it here, with raymond WORKFLOW, and take that run.",
    load: async () => (await import("./commands/test.ts")).testCommand,
  },
  {
    name: "replay",
    about: "judge what a run has recorded anew, by its workflow as it is now; costs nothing",
    names: "run",
    options: {
      "--workflow <path>": "judge by another workflow than that of the run",
      ...JSON_FLAG,
      ...RUNS,
    },
    load: async () => (await import("./commands/replay.ts")).replayCommand,
  },
];
