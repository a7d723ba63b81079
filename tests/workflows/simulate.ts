import { join } from "node:path";
import { z } from "zod";
import { type CliResult, raymond } from "../support/cli.ts";
import type { Project, RunDocument } from "../support/project.ts";
import { WORKFLOWS } from "./sample.ts";

/** Result and path of a simulated run. */
export interface Simulated extends CliResult {
  readonly run: RunDocument;
  /** States of an agent in order, one entry per attempt. */
  readonly visited: (agent: string) => readonly string[];
  readonly events: readonly RunEvent[];
}

export type RunEvent = z.infer<typeof eventSchema>;

/** Simulates a sample workflow in the project folder to its end. */
export async function simulate(
  workflow: string,
  project: Project,
  args: readonly string[] = [],
): Promise<Simulated> {
  const id = "wf-test";
  const result = await raymond(
    [join(WORKFLOWS, workflow), "--simulate", "--workflow-id", id, ...args],
    { project },
  );
  return await report(result, id, project);
}

/** Resumes the run of {@link simulate}. It stays simulated. */
export async function resume(project: Project, args: readonly string[] = []): Promise<Simulated> {
  const id = "wf-test";
  const result = await raymond(["--resume", id, ...args], { project });
  return await report(result, id, project);
}

async function report(result: CliResult, id: string, project: Project): Promise<Simulated> {
  const log = await project.read(`.raymond/runs/${id}/events.jsonl`).catch(() => {
    throw new Error(`There was no run: ${result.stderr}`);
  });
  const lines = log.split("\n").filter((line) => line !== "");
  const events = lines.map((line) => eventSchema.parse(JSON.parse(line)));
  return {
    ...result,
    run: await project.run(id),
    events,
    visited: (agent) =>
      events.flatMap((event) =>
        event.type === "step.started" && event.agent === agent ? [event.state ?? "?"] : [],
      ),
  };
}

const eventSchema = z.looseObject({
  type: z.string(),
  agent: z.string().optional(),
  state: z.string().optional(),
  session: z.string().nullable().optional(),
  transition: z.looseObject({ tag: z.string() }).optional(),
});
