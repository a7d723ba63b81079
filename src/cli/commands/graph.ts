import path from "node:path";
import { BadFlagError } from "../../config/errors.ts";
import {
  GRAPH_FORMATS,
  type GraphFormat,
  type GraphOptions,
  graph,
  printGraph,
} from "../../runs/graph.ts";
import { writePage } from "../../runs/write-page.ts";
import type { Shell } from "../shell.ts";
import { pathFrom } from "../words.ts";

interface GraphCommandOptions extends GraphOptions {
  readonly format?: string;
  readonly output?: string;
  readonly json?: true;
}

/** `raymond graph [WORKFLOW]`: prints a picture, or writes it to a file. */
export async function graphCommand(options: GraphCommandOptions, shell: Shell): Promise<void> {
  const format = options.json === true ? "json" : formatOf(options);
  const text = await printGraph(await graph(options, shell), format);
  if (options.output === undefined) {
    shell.out.write(text);
    return;
  }
  const file = await writePage(text, options.output, shell);
  shell.err.line(`Wrote ${pathFrom(shell.cwd, file)}.`);
}

/** As it is named; else as the ending of the file says. */
function formatOf({ format, output }: GraphCommandOptions): GraphFormat {
  const wanted = format ?? (output === undefined ? "mermaid" : ENDINGS.get(path.extname(output)));
  const found = GRAPH_FORMATS.find((one) => one === wanted);
  if (found === undefined) {
    const known = `one of ${GRAPH_FORMATS.join(", ")}`;
    throw format === undefined
      ? new BadFlagError(
          "--output",
          output ?? "",
          `a file that ends in ${[...ENDINGS.keys()].join(", ")}, or say --format`,
        )
      : new BadFlagError("--format", format, known);
  }
  return found;
}

const ENDINGS: ReadonlyMap<string, GraphFormat> = new Map([
  [".svg", "svg"],
  [".dot", "dot"],
  [".gv", "dot"],
  [".json", "json"],
  [".mmd", "mermaid"],
  [".mermaid", "mermaid"],
]);
