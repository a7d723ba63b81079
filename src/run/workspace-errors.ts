import { counted } from "../language/basics/counted.ts";
import { defineErrors } from "../language/basics/errors.ts";
import type { RunId } from "../machine/model/run-state.ts";

export const workspaceRunErrors = defineErrors({
  "run/restore-in-use": (run: RunId, folder: string) => ({
    message: `Cannot restore files in ${folder}: run ${run} is working there.`,
    hint: `Stop it first with: raymond stop ${run}. Or restore the files in another working tree (git worktree add).`,
  }),
  "run/restore-outside-git": (folder: string) => ({
    message: `Cannot restore files in ${folder}: it is not in a git repository, or the repository ignores it.`,
    hint: "Run the command in the working tree that should receive the files.",
  }),
  "run/restore-other-repository": (run: RunId, folder: string) => ({
    message: `The repository of ${folder} does not have the snapshots of run ${run}.`,
    hint: "Run the command in the repository of the run, or fetch its refs below refs/raymond.",
  }),
  "run/no-join": () => ({
    message:
      "Cannot find the branches of joined agents: the input of this step is not the result of a join.",
    hint: "Run the command in the script that a join enters, or name the branches.",
  }),
  "run/restore-unconfirmed": (files: number) => ({
    message: `The restore replaces ${counted(files, "file")}, and there is no terminal to ask at.`,
    hint: "To restore without a question, add --yes.",
  }),
});
