import { formatUsd } from "../money.ts";
import type { StateFile } from "../workflow/state-file.ts";

/** What a picture says of a state besides its name: who answers, and what bounds it. */
export function notesOf(file: StateFile): readonly string[] {
  const visits = file.maxVisits === null ? [] : [`${String(file.maxVisits)} visits at most`];
  switch (file.kind) {
    case "script":
      return visits;
    case "prompt": {
      const { model, effort, budgetMicroUsd: budget } = file;
      const answers = [model, effort === null ? null : `${effort} effort`];
      const said = answers.filter((one) => one !== null).join(", ");
      return [
        ...(said === "" ? [] : [said]),
        ...visits,
        ...(budget === null ? [] : [`${formatUsd(budget)} at most`]),
      ];
    }
  }
}
