import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { toUsd } from "../core/money.ts";
import { isoOf } from "../observers/json-codec.ts";
import { diffRuns } from "../runs/diff-runs.ts";
import { graphOfRun } from "../runs/graph.ts";
import { shownStatus } from "../runs/inspect.ts";
import { costJson } from "../runs/json/cost-json.ts";
import { runsDiffJson } from "../runs/json/runs-diff-json.ts";
import { detailJson, timelineJson } from "../runs/json/step-json.ts";
import { stepOf, timelineOf } from "../runs/show.ts";
import { withFilesHere } from "../runs/wire/files-here.ts";
import type { Actor } from "./actions.ts";
import type {
  DiffJson,
  GraphJson,
  OlderRunsJson,
  RunCostJson,
  RunsJson,
  StepJson,
  StepsJson,
  WorkflowsJson,
} from "./api.ts";
import { arrive, isArrival } from "./arrival.ts";
import type { Door } from "./door.ts";
import { noAddress, readOnly, UnknownFolderError, wrongMethod } from "./errors.ts";
import type { StreamTimes } from "./event-stream.ts";
import { olderRuns } from "./fleet-list.ts";
import { HEADERS } from "./headers.ts";
import type { ListWatch } from "./list-watch.ts";
import { overview } from "./overview.ts";
import type { PageFile } from "./page-files.ts";
import { problemOf, statusOf } from "./problem.ts";
import { jsonIn, MOST_BODY, numberIn, toldIn, tooLong, wantedIn } from "./request.ts";
import { runEvents } from "./run-events.ts";
import type { RunWatches } from "./run-watches.ts";
import { olderRunsIn, type ServedFolder } from "./served-folder.ts";
import { newStreams } from "./streams.ts";
import { workflowsIn } from "./workflows.ts";

/** All that requests are answered from. */
export interface Dashboard {
  readonly version: string;
  readonly folders: readonly ServedFolder[];
  readonly lists: ListWatch;
  readonly runs: RunWatches;
  readonly door: Door;
  readonly page: ReadonlyMap<string, PageFile>;
  /** Null: nothing can be done, only looked at. */
  readonly actor: Actor | null;
  readonly times: StreamTimes;
  /** Hears of bugs. */
  readonly onBug: (error: unknown) => void;
}

/** Steps of a page of the timeline, without a word on it, and at most. */
const USUAL_STEPS = 50;
const MOST_STEPS = 500;

/** The answers to all requests (docs/dashboard.md, "What the page is sent"). */
export function newApp(of: Dashboard): Hono {
  const app = new Hono();
  const streams = newStreams(of.times);

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of HEADERS) c.res.headers.set(name, value);
  });
  app.onError((error, c) => {
    const status = statusOf(error);
    if (status === 500) of.onBug(error);
    return c.json(problemOf(error), status);
  });
  app.notFound((c) => {
    const missing = noAddress();
    return c.json(problemOf(missing), missing.status);
  });
  app.use(async (c, next) => {
    if (c.req.method !== "GET" && c.req.method !== "POST") throw wrongMethod();
    if (!isArrival(c)) of.door.check(c.req.raw);
    return (isArrival(c) ? arrive(c, of.door) : null) ?? next();
  });

  app.get("/api/runs", async (c) => {
    const { version, actor } = of;
    const folders = await of.lists.look();
    return c.json<RunsJson>({ version, control: actor !== null, folders });
  });
  app.get("/api/events", () => streams.open(of.lists.events()));
  app.get("/api/folders/:folder/runs", async (c) => {
    const folder = folderOf(c);
    const wanted = wantedIn(c);
    const { board } = folder;
    return c.json<OlderRunsJson>(
      await (board === null ? olderRunsIn(folder, wanted) : olderRuns(board, wanted)),
    );
  });
  app.get("/api/folders/:folder/workflows", async (c) => {
    return c.json<WorkflowsJson>({ workflows: await workflowsIn(folderOf(c)) });
  });

  const run = "/api/folders/:folder/runs/:run";
  app.get(run, async (c) => {
    const folder = folderOf(c);
    return c.json(await overview(await watchOf(c), folder.key, folder.caller));
  });
  app.get(`${run}/graph`, async (c) => {
    const watch = await watchOf(c);
    const [{ run: state }, { travels }] = await Promise.all([watch.look(), watch.log()]);
    const { title, graph } = await graphOfRun(
      await withFilesHere(state, folderOf(c).caller),
      travels,
    );
    return c.json<GraphJson>({ title, ...graph });
  });
  app.get(`${run}/cost`, async (c) => {
    const watch = await watchOf(c);
    const [seen, { history, spending }] = await Promise.all([watch.look(), watch.log()]);
    const status = shownStatus(seen.run, seen.holder, seen.isExpected);
    const cost = costJson({ run: seen.run, status, history });
    const over_time = spending.map(({ at, totalMicroUsd }) => {
      return { at: isoOf(at) ?? "", total_usd: toUsd(totalMicroUsd) };
    });
    return c.json<RunCostJson>({ ...cost, over_time });
  });
  app.get(`${run}/steps`, async (c) => {
    const watch = await watchOf(c);
    const found = { ...(await watch.look()), ...watch.of };
    const limit = Math.min(numberIn(c, "limit") ?? USUAL_STEPS, MOST_STEPS);
    const agent = c.req.query("agent");
    const before = numberIn(c, "before");
    return c.json<StepsJson>(timelineJson(timelineOf(found, { agent, before, limit })));
  });
  app.get(`${run}/steps/:step{[0-9]{1,15}}`, async (c) => {
    const watch = await watchOf(c);
    const found = { ...(await watch.look()), ...watch.of };
    const step = Number(c.req.param("step"));
    return c.json<StepJson>(detailJson(await stepOf(found, { step })));
  });
  app.get(`${run}/diff`, async (c) => {
    const folder = folderOf(c);
    const both = await Promise.all([
      of.runs.watch(folder, c.req.query("with") ?? ""),
      of.runs.watch(folder, c.req.param("run")),
    ]);
    const [other, id] = both.map((watch) => watch.of.id);
    const wanted = { stateDir: folder.root, run: other ?? "", other: id ?? "" };
    return c.json<DiffJson>(runsDiffJson(await diffRuns(wanted, folder.caller)));
  });
  app.get(`${run}/events`, async (c) => streams.open(runEvents(await watchOf(c), toldIn(c))));

  app.use(
    bodyLimit({
      maxSize: MOST_BODY,
      onError: () => {
        throw tooLong();
      },
    }),
  );
  app.post("/api/folders/:folder/runs", async (c) => {
    return c.json(await actorOf().start(folderOf(c), await jsonIn(c)));
  });
  app.post(`${run}/:action`, async (c) => {
    const actor = actorOf();
    const { id } = (await watchOf(c)).of;
    const body = await jsonIn(c);
    return c.json(await actor.act(c.req.param("action"), folderOf(c), id, body));
  });

  app.get("*", (c) => {
    const file = of.page.get(c.req.path);
    if (file === undefined) return c.notFound();
    return c.body(file.body, 200, { "content-type": file.type });
  });
  return app;

  function folderOf(c: Context): ServedFolder {
    const found = of.folders.find(({ key }) => key === c.req.param("folder"));
    if (found === undefined) throw new UnknownFolderError();
    return found;
  }

  function watchOf(c: Context) {
    return of.runs.watch(folderOf(c), c.req.param("run") ?? "");
  }

  function actorOf(): Actor {
    if (of.actor === null) throw readOnly();
    return of.actor;
  }
}
