import { execa } from "execa";
import { fleetScene, type Scene, type SceneOptions } from "./fleet-scene.ts";

const WAITING = {
  "w/1_START.sh": 'echo start >> "$FOLDER/steps"\necho "<goto>2_WAIT.sh</goto>"',
  "w/2_WAIT.sh":
    'echo wait $$ >> "$FOLDER/steps"\nuntil [ -e "$FOLDER/go" ]; do sleep 0.05; done\necho "<goto>3_END.sh</goto>"',
  "w/3_END.sh": 'echo end >> "$FOLDER/steps"\necho "<result>done</result>"',
};

/** For {@link Scene.rowOf}: throws where it cannot come to that any more. */
export const completed = ({ status }: { readonly status: string }) => {
  if (status === "failed") throw new Error("the run has failed");
  return status === "completed";
};

/** A fleet with a workflow `w` that waits in its second step until there is a file `go`; each step that begins is told in `steps`. */
export function waiting(options: SceneOptions = {}): Promise<Scene> {
  return telling(WAITING, options);
}

/** A fleet whose steps find the folder of the project as `$FOLDER`. */
export async function telling(
  files: Readonly<Record<string, string>>,
  options: SceneOptions = {},
): Promise<Scene> {
  const scene = await fleetScene(files, options);
  const env = { ...scene.project.env, FOLDER: scene.project.dir };
  Object.assign(scene.project, { env });
  return scene;
}

/** The steps that have begun, without the ids of their processes. */
export async function stepsOf({ project }: Scene): Promise<readonly string[]> {
  const text = await project.read("steps");
  return text.split("\n").flatMap((line) => line.split(" ")[0] || []);
}

/** Resolves with what `steps` says when the second step has begun so often. */
export function isWaiting({ project }: Scene, times = 1): Promise<string> {
  return project.fileWith("steps", (text) => text.split("wait").length > times);
}

/** The letter of the state of a process, as `ps` has it; `-` where there is none. */
export async function stateOf(pid: number): Promise<string> {
  const { stdout } = await execa("ps", ["-o", "stat=", "-p", String(pid)], { reject: false });
  return stdout.trim()[0] ?? "-";
}

/** Whether there is a process of that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** All that a run has in the tables, but for what is written behind. */
export function writtenOf({ database }: Scene, id: string): Promise<readonly object[]> {
  return database.query(
    `SELECT version, epoch, state, (SELECT json_agg(j) FROM raymond.journal j WHERE j.run = r.id) AS journal,
       (SELECT json_agg(l) FROM raymond.ledger l WHERE l.run = r.id) AS ledger
     FROM raymond.runs r WHERE id = $1`,
    [id],
  );
}
