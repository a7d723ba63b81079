import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { graphOfRun } from "../../inspect/graph.ts";
import { diffRuns } from "../../inspect/history/diff-runs.ts";
import { stepOf, timelineOf } from "../../inspect/history/show.ts";
import { costJson } from "../../inspect/json/report-json.ts";
import { runsDiffJson } from "../../inspect/json/runs-diff-json.ts";
import { detailJson, timelineJson } from "../../inspect/json/step-json.ts";
import { shownStatus } from "../../inspect/run-view.ts";
import { toUsd } from "../../language/basics/money.ts";
import { isoOf } from "../../log/codec/json-codec.ts";
import { withLocalWorkflow } from "../../wire/workflow.ts";
import type {
  DiffJson,
  GraphJson,
  OlderRunsJson,
  RunCostJson,
  RunsJson,
  StepJson,
  StepsJson,
  WorkflowsJson,
} from "../api.ts";
import type { StreamTimes } from "../watch/event-stream.ts";
import { olderRuns } from "../watch/fleet-list.ts";
import type { ListWatch } from "../watch/list-watch.ts";
import { overview } from "../watch/overview.ts";
import { runEvents } from "../watch/run-events.ts";
import type { RunWatches } from "../watch/run-watches.ts";
import { newStreams } from "../watch/streams.ts";
import { workflowsIn } from "../watch/workflows.ts";
import type { AccessControl } from "./access.ts";
import type { RunActions } from "./actions.ts";
import { serveErrors } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import type { PageFile } from "./page-files.ts";
import { problemOf, statusOf } from "./problem.ts";
import { clientPositionIn, jsonIn, MAX_BODY_BYTES, numberIn, olderQueryIn } from "./request.ts";
import { olderRunsIn, type ServedFolder } from "./served-folder.ts";
import { isPageRequest, signIn } from "./sign-in.ts";

/** Everything that request handlers use. */
export interface Dashboard {
  readonly version: string;
  readonly folders: readonly ServedFolder[];
  readonly lists: ListWatch;
  readonly runs: RunWatches;
  readonly access: AccessControl;
  readonly page: ReadonlyMap<string, PageFile>;
  /** Null: the server is read-only. */
  readonly actions: RunActions | null;
  readonly times: StreamTimes;
  /** Called with unexpected errors. */
  readonly onBug: (error: unknown) => void;
}

/** Page size of the timeline: default and maximum. */
const DEFAULT_STEPS = 50;
const MAX_STEPS = 500;

/** All routes (docs/dashboard.md, "HTTP API"). */
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
    return c.json(problemOf(serveErrors["serve/no-such-address"]()), 404);
  });
  app.use(async (c, next) => {
    if (c.req.method !== "GET" && c.req.method !== "POST")
      throw serveErrors["serve/wrong-method"]();
    if (!isPageRequest(c)) of.access.checkRequest(c.req.raw);
    return (isPageRequest(c) ? signIn(c, of.access) : null) ?? next();
  });

  app.get("/api/runs", async (c) => {
    const { version, actions: actor } = of;
    const folders = await of.lists.current();
    return c.json<RunsJson>({ version, control: actor !== null, folders });
  });
  app.get("/api/events", () => streams.open(of.lists.events()));
  app.get("/api/folders/:folder/runs", async (c) => {
    const folder = folderOf(c);
    const wanted = olderQueryIn(c);
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
    const [{ run: state }, { travels }] = await Promise.all([watch.refresh(), watch.log()]);
    const { title, graph } = await graphOfRun(
      await withLocalWorkflow(state, watch.of.store),
      travels,
    );
    return c.json<GraphJson>({ title, ...graph });
  });
  app.get(`${run}/cost`, async (c) => {
    const watch = await watchOf(c);
    const [seen, { history, spending }] = await Promise.all([watch.refresh(), watch.log()]);
    const status = shownStatus(seen.run, seen.holder, seen.isExpected);
    const cost = costJson({ run: seen.run, status, history });
    const over_time = spending.map(({ at, totalMicroUsd }) => {
      return { at: isoOf(at) ?? "", total_usd: toUsd(totalMicroUsd) };
    });
    return c.json<RunCostJson>({ ...cost, over_time });
  });
  app.get(`${run}/steps`, async (c) => {
    const watch = await watchOf(c);
    const found = { ...(await watch.refresh()), ...watch.of };
    const limit = Math.min(numberIn(c, "limit") ?? DEFAULT_STEPS, MAX_STEPS);
    const agent = c.req.query("agent");
    const before = numberIn(c, "before");
    return c.json<StepsJson>(timelineJson(timelineOf(found, { agent, before, limit })));
  });
  app.get(`${run}/steps/:step{[0-9]{1,15}}`, async (c) => {
    const watch = await watchOf(c);
    const found = { ...(await watch.refresh()), ...watch.of };
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
  app.get(`${run}/events`, async (c) =>
    streams.open(runEvents(await watchOf(c), clientPositionIn(c))),
  );

  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw serveErrors["serve/too-long"](MAX_BODY_BYTES);
      },
    }),
  );
  app.post("/api/folders/:folder/runs", async (c) => {
    return c.json(await allowedActions().start(folderOf(c), await jsonIn(c)));
  });
  app.post(`${run}/:action`, async (c) => {
    const actor = allowedActions();
    const { id } = (await watchOf(c)).of;
    const body = await jsonIn(c);
    return c.json(await actor.run(c.req.param("action"), folderOf(c), id, body));
  });

  app.get("*", (c) => {
    const file = of.page.get(c.req.path);
    if (file === undefined) return c.notFound();
    return c.body(file.body, 200, { "content-type": file.type });
  });
  return app;

  function folderOf(c: Context): ServedFolder {
    const found = of.folders.find(({ key }) => key === c.req.param("folder"));
    if (found === undefined) throw serveErrors["serve/no-such-folder"]();
    return found;
  }

  function watchOf(c: Context) {
    return of.runs.watch(folderOf(c), c.req.param("run") ?? "");
  }

  function allowedActions(): RunActions {
    if (of.actions === null) throw serveErrors["serve/read-only"]();
    return of.actions;
  }
}
