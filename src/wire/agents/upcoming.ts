import { isSimulated } from "../../engine/ports/backend.ts";
import type { ReadState } from "../../language/outline/outline.ts";
import { fullName } from "../../language/protocol/address.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { requireAgent } from "../backends.ts";
import type { UpcomingAgent } from "../client.ts";
import { havePrompt } from "../workflow.ts";
import { findAgent } from "./agents.ts";

/**
 * The coding agents of the prompts of a new run, by its known `states`, which are among `names`: a script can enter
 * others. `backend`: its default agent, or the simulation. Throws `config/unknown-agent`.
 */
export function agentsOfStates(
  states: readonly Pick<ReadState, "name" | "file">[],
  names: readonly string[],
  entry: string,
  { backend, settings }: NewRun,
): readonly UpcomingAgent[] {
  if (isSimulated(backend)) return [];
  const usual = settings.agents ?? [backend];
  const found = states.flatMap(({ name, file }) =>
    file.kind === "prompt" ? candidates(file.agents ?? usual, name === entry) : [],
  );
  if (found.length === 0 && havePrompt(names)) found.push(...candidates(usual, false));
  for (const { name } of found) requireAgent(name);
  return combined(found);
}

interface NewRun extends Pick<RunState, "backend"> {
  readonly settings: Pick<RunState["settings"], "agents">;
}

/**
 * The coding agents of a saved run: those of its upcoming `states`. If these are unknown (null), the
 * agents of states that it has met, and its default agent. `names`: the states of its workflow.
 */
export function agentsOfRun(
  run: Pick<RunState, "backend" | "agents" | "candidates" | "owners"> & Pick<NewRun, "settings">,
  names: readonly string[],
  upcoming: readonly Pick<ReadState, "name" | "file">[] | null = null,
): readonly UpcomingAgent[] {
  if (isSimulated(run.backend) || !havePrompt(names)) return [];
  const prompts = (upcoming ?? []).filter(({ file }) => file.kind === "prompt");
  if (prompts.length > 0) return agentsOfUpcoming(run, prompts);
  const states = Object.entries(run.candidates);
  const owners = new Set(Object.values(run.owners));
  const next = run.agents.filter(({ state }) => stateKind(state) === "prompt").map(fullName);
  return combined([
    ...candidates(
      [run.backend],
      next.some((state) => run.candidates[state] === undefined),
    ),
    ...states.flatMap(([state, agents]) => candidates(agents, next.includes(state))),
    ...[...owners].flatMap((owner) => candidates([owner], false)),
  ]);
}

function agentsOfUpcoming(
  run: Parameters<typeof agentsOfRun>[0],
  prompts: readonly Pick<ReadState, "name" | "file">[],
): readonly UpcomingAgent[] {
  const usual = run.settings.agents ?? [run.backend];
  const next = new Set(run.agents.map(({ state }) => state));
  const owners = new Set(Object.values(run.owners));
  const found = prompts.flatMap(({ name, file }) =>
    candidates((file.kind === "prompt" ? file.agents : null) ?? usual, next.has(name)),
  );
  const known = found.filter(({ name }) => findAgent(name) !== null);
  return combined([...known, ...[...owners].flatMap((owner) => candidates([owner], false))]);
}

/** Agents of one state, preferred ones first. */
function candidates(names: readonly string[], first: boolean): readonly UpcomingAgent[] {
  return names.map((name, index) => ({ name, first: first && index === 0, spare: index > 0 }));
}

/** One entry by name. */
function combined(found: readonly UpcomingAgent[]): readonly UpcomingAgent[] {
  const byName = new Map<string, UpcomingAgent>();
  for (const one of found) {
    const known = byName.get(one.name) ?? { first: false, spare: true };
    const { name } = one;
    byName.set(name, { name, first: known.first || one.first, spare: known.spare && one.spare });
  }
  return [...byName.values()];
}
