import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { runDiffText } from "../../inspect/files/run-diff.ts";
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
  GraphJson,
  OlderRunsJson,
  RunCostJson,
  RunsJson,
  StepDiffJson,
  WorkflowsJson,
} from "../api.ts";
import { type StreamTimes, streamOpener } from "../watch/event-stream.ts";
import { olderRuns } from "../watch/fleet-list.ts";
import type { ListWatch } from "../watch/list-watch.ts";
import { overview } from "../watch/overview.ts";
import { runEvents } from "../watch/run-events.ts";
import type { RunWatch } from "../watch/run-watch.ts";
import type { RunWatches } from "../watch/run-watches.ts";
import { type AccessControl, isPageRequest, signIn } from "./access.ts";
import type { RunActions } from "./actions.ts";
import { serveErrors } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import { problemOf, statusOf } from "./problem.ts";
import { clientPositionIn, jsonIn, MAX_BODY_BYTES, numberIn, olderQueryIn } from "./request.ts";
import { olderRunsIn, type ServedFolder, workflowsIn } from "./served-folder.ts";

/** Everything that request handlers use. */
export interface Dashboard {
  readonly version: string;
  readonly folders: readonly ServedFolder[];
  readonly lists: ListWatch;
  readonly runs: RunWatches;
  readonly access: AccessControl;
  /** The files of the page by URL path. */
  readonly page: ReadonlyMap<string, PageFile>;
  /** Null: the server is read-only. */
  readonly actions: RunActions | null;
  readonly times: StreamTimes;
  readonly onBug: (error: unknown) => void;
}

export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The server (docs/dashboard.md, "HTTP API"). */
export function newApp(of: Dashboard): Hono {
  const app = new Hono();
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
  const openStream = streamOpener(of.times);
  addLists(app, of);
  addRun(app, of);
  app.get("/api/events", () => openStream(of.lists.events()));
  app.get(`${RUN}/events`, async (c) => {
    return openStream(runEvents(await watchOf(of, c), clientPositionIn(c)));
  });
  addActions(app, of);
  app.get("*", (c) => {
    const file = of.page.get(c.req.path);
    return file === undefined
      ? c.notFound()
      : c.body(file.body, 200, { "content-type": file.type });
  });
  return app;
}

const RUNS = "/api/folders/:folder/runs";
const RUN = `${RUNS}/:run`;

function folderOf(of: Dashboard, c: Context): ServedFolder {
  const found = of.folders.find(({ key }) => key === c.req.param("folder"));
  if (found === undefined) throw serveErrors["serve/no-such-folder"]();
  return found;
}

async function watchOf(of: Dashboard, c: Context): Promise<RunWatch> {
  return of.runs.watch(folderOf(of, c), c.req.param("run") ?? "");
}

function addLists(app: Hono, of: Dashboard): void {
  app.get("/api/runs", async (c) => {
    const { version, actions, lists } = of;
    return c.json<RunsJson>({ version, control: actions !== null, folders: await lists.current() });
  });
  app.get(RUNS, async (c) => {
    const folder = folderOf(of, c);
    const query = olderQueryIn(c);
    return c.json<OlderRunsJson>(
      await (folder.board === null ? olderRunsIn(folder, query) : olderRuns(folder.board, query)),
    );
  });
  app.get("/api/folders/:folder/workflows", async (c) => {
    return c.json<WorkflowsJson>({ workflows: await workflowsIn(folderOf(of, c)) });
  });
}

/** Page size of the timeline: default and maximum. */
const DEFAULT_STEPS = 50;
const MAX_STEPS = 500;
/** Characters of a diff: a page cannot show more. */
const MAX_DIFF = 500_000;

function addRun(app: Hono, of: Dashboard): void {
  app.get(RUN, async (c) => {
    const { key, caller } = folderOf(of, c);
    return c.json(await overview(await watchOf(of, c), key, caller));
  });
  app.get(`${RUN}/graph`, async (c) => {
    const watch = await watchOf(of, c);
    const [{ run }, { traversal }] = await Promise.all([watch.refresh(), watch.log()]);
    const here = await withLocalWorkflow(run, watch.of.store);
    const { title, graph } = await graphOfRun(here, traversal);
    return c.json<GraphJson>({ title, ...graph });
  });
  app.get(`${RUN}/cost`, async (c) => {
    const watch = await watchOf(of, c);
    const [snapshot, { history, spending }] = await Promise.all([watch.refresh(), watch.log()]);
    const status = shownStatus(snapshot.run, snapshot.holder, snapshot.isExpected);
    const over_time = spending.map(({ at, totalMicroUsd }) => {
      return { at: isoOf(at) ?? "", total_usd: toUsd(totalMicroUsd) };
    });
    return c.json<RunCostJson>({ ...costJson({ run: snapshot.run, status, history }), over_time });
  });
  app.get(`${RUN}/steps`, async (c) => {
    const watch = await watchOf(of, c);
    const limit = Math.min(numberIn(c, "limit") ?? DEFAULT_STEPS, MAX_STEPS);
    const wanted = { agent: c.req.query("agent"), before: numberIn(c, "before"), limit };
    const [snapshot, { history }] = await Promise.all([watch.refresh(), watch.log()]);
    const found = { ...snapshot, ...watch.of };
    return c.json(timelineJson(timelineOf(found, wanted, history?.commands ?? [])));
  });
  app.get(`${RUN}/steps/:step{[0-9]{1,15}}`, async (c) => {
    const watch = await watchOf(of, c);
    const found = { ...(await watch.refresh()), ...watch.of };
    return c.json(
      detailJson(
        await stepOf(found, { step: Number(c.req.param("step")) }, folderOf(of, c).caller),
      ),
    );
  });
  app.get(`${RUN}/steps/:step{[0-9]{1,15}}/diff`, async (c) => {
    const folder = folderOf(of, c);
    const { id } = (await watchOf(of, c)).of;
    const wanted = { stateDir: folder.root, run: id, steps: c.req.param("step") };
    const text = await runDiffText(wanted, folder.caller);
    const cut = text.length > MAX_DIFF;
    return c.json<StepDiffJson>({ text: cut ? text.slice(0, MAX_DIFF) : text, cut });
  });
  app.get(`${RUN}/diff`, async (c) => {
    const folder = folderOf(of, c);
    const left = await of.runs.watch(folder, c.req.query("with") ?? "");
    const right = await watchOf(of, c);
    const runs = { stateDir: folder.root, run: left.of.id, other: right.of.id };
    return c.json(runsDiffJson(await diffRuns(runs, folder.caller)));
  });
}

function addActions(app: Hono, of: Dashboard): void {
  const allowed = (): RunActions => {
    if (of.actions === null) throw serveErrors["serve/read-only"]();
    return of.actions;
  };
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw serveErrors["serve/too-long"](MAX_BODY_BYTES);
      },
    }),
  );
  app.post(RUNS, async (c) => {
    return c.json(await allowed().start(folderOf(of, c), await jsonIn(c)));
  });
  app.post(`${RUN}/:action`, async (c) => {
    const actions = allowed();
    const { id } = (await watchOf(of, c)).of;
    return c.json(await actions.run(c.req.param("action"), folderOf(of, c), id, await jsonIn(c)));
  });
}
