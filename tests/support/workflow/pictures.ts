import path from "node:path";
import { graph, printGraph } from "../../../src/inspect/graph.ts";

/** Sample workflows with a picture in docs/pictures. */
export const PICTURES = ["tour", "plan-then-implement", "review-gate", "map-and-merge"] as const;

const WORKFLOWS = path.join(import.meta.dirname, "../../../workflows");

/** The picture of a sample workflow, as `raymond graph` draws it. */
export async function drawPicture(name: (typeof PICTURES)[number]): Promise<string> {
  return printGraph(await graph({ workflow: path.join(WORKFLOWS, name) }), "svg");
}
