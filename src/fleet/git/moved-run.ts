import path from "node:path";
import type { RunState } from "../../core/machine/run-state.ts";

/** The run in another clone: agents that are in a folder of the old one are in that of the new one. */
export function moveRun(run: RunState, launchDir: string, subfolder: string): RunState {
  const from = topOf(run.launchDir, subfolder);
  const to = topOf(launchDir, subfolder);
  const agents = run.agents.map((agent) => {
    const way = agent.cwd === null ? null : path.relative(from, agent.cwd);
    if (way === null || way.split(path.sep)[0] === ".." || path.isAbsolute(way)) return agent;
    return { ...agent, cwd: path.join(to, way) };
  });
  return { ...run, launchDir, agents };
}

/** The top of the clone that has this subfolder. */
function topOf(folder: string, subfolder: string): string {
  return path.resolve(folder, path.relative(subfolder, "") || ".");
}
