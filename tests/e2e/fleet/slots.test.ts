import { expect, it } from "vitest";
import { fleetScene } from "./scene.ts";

/** Waits for its own file. Each run logs its start in `started`. */
const WAITS = `echo x >> "$FOLDER/started"
until [ -e "$FOLDER/go-$RAYMOND_WORKFLOW_ID" ]; do sleep 0.2; done
echo "<result>done</result>"`;

it("claims no more runs than it has slots, independent of other machines of the pool", async () => {
  const scene = await fleetScene({ "w/1_START.sh": WAITS });
  const { project, database } = scene;
  Object.assign(project, { env: { ...project.env, FOLDER: project.dir } });
  const taken = () =>
    database.query<{ id: string; home: string }>(
      "SELECT id, home FROM raymond.runs WHERE home IS NOT NULL ORDER BY home, id",
    );
  await scene.worker("m4", "--slots", "4");
  // The last registered settings of the queue are in the database.
  await scene.worker("m1", "--slots", "1");

  for (let count = 0; count < 5; count += 1) await scene.submit("w");
  await project.fileWith("started", (text) => text.length === 5 * "x\n".length);
  const five = await taken();
  const sixth = await scene.submit("w");
  const [atOne] = five;
  await project.write(`go-${atOne?.id ?? ""}`, "");
  const { home } = await scene.rowOf(sixth, (row) => row.home !== null);

  expect(five.map((run) => run.home)).toEqual(["m1", "m4", "m4", "m4", "m4"]);
  expect(home).toBe("m1");
  for (const { id } of await taken()) await project.write(`go-${id}`, "");
});

it("claims no more runs than it has slots in all queues; another worker starts the rest", async () => {
  const scene = await fleetScene({ "w/1_START.sh": WAITS });
  const { project, database } = scene;
  Object.assign(project, { env: { ...project.env, FOLDER: project.dir } });
  await scene.worker("m1", "--slots", "2", "--pool", "one", "--pool", "two");

  const ids: string[] = [];
  for (const pool of ["one", "one", "two", "two"]) {
    ids.push(await scene.submit("w", "--pool", pool));
  }
  await project.fileWith("started", (text) => text.length === 2 * "x\n".length);
  await scene.worker("m2", "--slots", "2", "--pool", "one", "--pool", "two");
  await project.fileWith("started", (text) => text.length === 4 * "x\n".length);
  const homes = await database.query<{ home: string }>("SELECT home FROM raymond.runs");

  expect(homes.map(({ home }) => home).toSorted()).toEqual(["m1", "m1", "m2", "m2"]);
  for (const id of ids) await project.write(`go-${id}`, "");
});
