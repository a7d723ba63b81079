/** What the page shows, as its address says it: behind the `#`, which no server is told. */
export type Route =
  | { readonly view: "runs" }
  | { readonly view: "machines" }
  | ({ readonly view: "run" } & RunRoute);

export interface RunRoute {
  /** As the server calls the state folder. */
  readonly folder: string;
  readonly run: string;
  /** The step that is open; null where none is. */
  readonly step: number | null;
}

export function parseRoute(hash: string): Route {
  if (/^#\/machines\/?$/.test(hash)) return { view: "machines" };
  const [, folder, run, step] = /^#\/([^/]+)\/([^/]+)(?:\/(\d{1,9}))?\/?$/.exec(hash) ?? [];
  if (folder === undefined || run === undefined) return { view: "runs" };
  const number = step === undefined ? null : Number(step);
  return { view: "run", folder: decoded(folder), run: decoded(run), step: number };
}

export function printRoute(route: Route): string {
  if (route.view === "runs") return "#/";
  if (route.view === "machines") return "#/machines";
  const step = route.step === null ? "" : `/${String(route.step)}`;
  return `#/${encodeURIComponent(route.folder)}/${encodeURIComponent(route.run)}${step}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
