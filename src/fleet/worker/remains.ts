import type { RunId } from "../../machine/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import { sizeIn } from "../../wire/engine/run-size.ts";
import type { LocalRemains, RemoteRemains, RunRemains } from "../../wire/run-source.ts";
import { gitBy } from "../git/git.ts";
import { remoteRemains } from "../git/run-refs.ts";
import { existingRuns, fleetId, repositoriesOf, whileAbsent } from "../lease/existing-runs.ts";
import type { Database } from "../store/database.ts";
import { emptyAside, fleetsOf, placesOf, putAside, runsIn } from "./worker-folder.ts";

/** What of these runs, and of those that the fleet does not know any more, lies outside of its database. */
export async function remainsOf(
  runs: readonly RunId[],
  folder: string,
  database: Database,
  caller: Caller,
): Promise<RunRemains> {
  const [here, remotes] = await Promise.all([
    remainsIn(folder, database),
    remotesOf(runs, database, caller),
  ]);
  return { here, remotes };
}

async function remainsIn(
  root: string,
  database: Database,
): Promise<ReadonlyMap<RunId, LocalRemains>> {
  const fleets = await fleetsOf(root);
  if (fleets.length !== 1 || fleets[0] !== (await fleetId(database))) return new Map();
  const ids = await runsIn(root);
  const known = await existingRuns(database, ids);
  const found = ids.map(async (id): Promise<readonly [RunId, LocalRemains]> => {
    const sizes = await Promise.all(placesOf(root, id).map(sizeIn));
    const remove = async () => {
      await whileAbsent(database, id, () => putAside(root, id));
      await emptyAside(root);
    };
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return [id, { bytes, isKnown: known.has(id), remove }];
  });
  return new Map(await Promise.all(found));
}

async function remotesOf(
  runs: readonly RunId[],
  database: Database,
  caller: Caller,
): Promise<readonly RemoteRemains[]> {
  const repositories = await repositoriesOf(database, runs);
  if (repositories.size === 0) return [];
  const { processes } = await caller.system();
  const git = gitBy(processes.start, caller.env);
  const all = [...new Set(repositories.values())];
  return Promise.all(
    all.map((repository) => {
      const its = runs.filter((run) => repositories.get(run) === repository);
      return remoteRemains(repository, its, git);
    }),
  );
}
