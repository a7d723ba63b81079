import type { Target } from "./target.ts";
import { configTarget } from "./targets/config.ts";
import { directiveTarget } from "./targets/directive.ts";
import { frontMatterTarget } from "./targets/front-matter.ts";
import { replyTarget } from "./targets/reply.ts";
import { simulationTarget } from "./targets/simulation.ts";
import { singleFileTarget } from "./targets/single-file.ts";
import { stateTarget } from "./targets/state.ts";
import { streamTarget } from "./targets/stream.ts";
import { zipTarget } from "./targets/zip.ts";

/** Every reader of bytes that others have written. */
export const TARGETS: readonly Target[] = [
  ...[replyTarget, frontMatterTarget, directiveTarget, zipTarget],
  ...[streamTarget, stateTarget, configTarget, simulationTarget, singleFileTarget],
];

/** The target of this name. Throws for a name that is none. */
export function targetNamed(name: string): Target {
  const found = TARGETS.find((target) => target.name === name);
  if (found !== undefined) return found;
  const names = TARGETS.map((target) => target.name).join(", ");
  throw new Error(`There is no target ${name}; there are: ${names}.`);
}
