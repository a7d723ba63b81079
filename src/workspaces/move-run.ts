import path from "node:path";
import { pathInside } from "../files/paths.ts";
import type { RunState } from "../machine/model/run-state.ts";

/** Moves a run to another copy of its working tree: its launch folder, and the working folders of its agents. */
export function moveRun(
  run: RunState,
  { from, to }: { readonly from: string; readonly to: string },
): RunState {
  const moved = (folder: string) => {
    const inside = pathInside(from, folder);
    return inside === null ? folder : path.join(to, inside);
  };
  const agents = run.agents.map((agent) =>
    agent.cwd === null ? agent : { ...agent, cwd: moved(agent.cwd) },
  );
  return { ...run, launchDir: moved(run.launchDir), agents };
}
