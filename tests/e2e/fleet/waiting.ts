import { execa } from "execa";
import { fleetScene, type Scene, type SceneOptions } from "./scene.ts";

const WAITING = {
  "w/1_START.sh": 'echo start >> "$FOLDER/steps"\necho "<goto>2_WAIT.sh</goto>"',
  "w/2_WAIT.sh":
    'echo wait $$ >> "$FOLDER/steps"\nuntil [ -e "$FOLDER/go" ]; do sleep 0.2; done\necho "<goto>3_END.sh</goto>"',
  "w/3_END.sh": 'echo end >> "$FOLDER/steps"\necho "<result>done</result>"',
};

/** For {@link Scene.rowOf}. Throws if the run has failed. */
export const completed = ({ status }: { readonly status: string }) => {
  if (status === "failed") throw new Error("the run has failed");
  return status === "completed";
};

/** A fleet with a workflow `w` whose second step waits for the file `go`. Each step logs its start in `steps`. */
export function waiting(options: SceneOptions = {}): Promise<Scene> {
  return loggingScene(WAITING, options);
}

/** A fleet whose steps get the project folder as `$FOLDER`. */
export async function loggingScene(
  files: Readonly<Record<string, string>>,
  options: SceneOptions = {},
): Promise<Scene> {
  const scene = await fleetScene(files, options);
  const env = { ...scene.project.env, FOLDER: scene.project.dir };
  Object.assign(scene.project, { env });
  return scene;
}

/** The started steps, without process ids. */
export async function stepsOf({ project }: Scene): Promise<readonly string[]> {
  const text = await project.read("steps");
  return text.split("\n").flatMap((line) => line.split(" ")[0] || []);
}

/** Resolves with the content of `steps` when the second step has started `times` times. */
export function isWaiting({ project }: Scene, times = 1): Promise<string> {
  return project.fileWith("steps", (text) => text.split("wait").length > times);
}

/** The process state letter of `ps`, or `-`. */
export async function stateOf(pid: number): Promise<string> {
  const { stdout } = await execa("ps", ["-o", "stat=", "-p", String(pid)], { reject: false });
  return stdout.trim()[0] ?? "-";
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The synchronously written rows of a run. */
export function recordsOf({ database }: Scene, id: string): Promise<readonly object[]> {
  return database.query(
    `SELECT version, epoch, state, (SELECT json_agg(j) FROM raymond.journal j WHERE j.run = r.id) AS journal,
       (SELECT json_agg(l) FROM raymond.ledger l WHERE l.run = r.id) AS ledger
     FROM raymond.runs r WHERE id = $1`,
    [id],
  );
}
