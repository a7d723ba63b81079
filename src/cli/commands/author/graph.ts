import path from "node:path";
import { type Command, Option } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import {
  GRAPH_FORMATS,
  type GraphFormat,
  type GraphOptions,
  graph,
  printGraph,
  writePage,
} from "../../../inspect/graph.ts";
import { action, notEmpty, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { pathFrom } from "../../words/words.ts";
import { inFleet, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument(
      "[workflow]",
      "Folder, zip archive, .yaml file or state file (default: current folder)",
      notEmpty,
    )
    .addOption(
      new Option("--format <format>", "Output format (default: mermaid, or by extension)").choices(
        GRAPH_FORMATS,
      ),
    )
    .option("-o, --output <file>", "Write to this file")
    .option("--run <run>", "Add visits, time and cost of a run (default workflow: that of the run)")
    .option("--json", "Same as --format json");
  runSelection(command).action(
    action(shell, (options: GraphCommandOptions & WhichRuns) =>
      options.run === undefined
        ? graphCommand(options, shell)
        : inFleet(options, shell, (at) => graphCommand(options, at)),
    ),
  );
}

interface GraphCommandOptions extends GraphOptions {
  readonly format?: GraphFormat;
  readonly output?: string;
  readonly json?: true;
}

async function graphCommand(options: GraphCommandOptions, shell: Shell): Promise<void> {
  const format = options.json === true ? "json" : formatOf(options);
  const text = await printGraph(await graph(options, shell), format);
  if (options.output === undefined) {
    shell.out.write(text);
    return;
  }
  const file = await writePage(text, options.output, shell);
  shell.err.line(`Wrote ${pathFrom(shell.cwd, file)}.`);
}

/** By option, else by the extension of the file. */
function formatOf({ format, output }: GraphCommandOptions): GraphFormat {
  if (format !== undefined) return format;
  if (output === undefined) return "mermaid";
  const found = EXTENSIONS.get(path.extname(output));
  if (found !== undefined) return found;
  const known = [...EXTENSIONS.keys()].join(", ");
  throw new BadFlagError("--output", output, `a file that ends in ${known}, or use --format`);
}

const EXTENSIONS: ReadonlyMap<string, GraphFormat> = new Map([
  [".svg", "svg"],
  [".dot", "dot"],
  [".gv", "dot"],
  [".json", "json"],
  [".mmd", "mermaid"],
  [".mermaid", "mermaid"],
]);
