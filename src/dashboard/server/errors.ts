import { defineErrors } from "../../language/basics/errors.ts";

const REOPEN =
  "Open the address that raymond serve printed. Each start of the server has a new one.";
const ADDRESSES = "docs/dashboard.md lists the addresses.";

/** All errors of the server. `problem.ts` maps the codes to HTTP statuses. */
export const serveErrors = defineErrors({
  // What is served.
  "serve/no-runs-there": (folder: string) => ({
    message: `Cannot serve ${folder}: it is neither a project with a .raymond folder nor a state folder.`,
    hint: "Name the folder of a project in which raymond has run, or a state folder.",
  }),
  "serve/folder-gone": (folder: string) => ({
    message: `The folder ${folder} no longer exists.`,
    hint: "The page shows its runs again once the folder exists again.",
  }),
  "serve/no-page": (folder: string) => ({
    message: `Cannot serve the page: ${folder} has no index.html.`,
    hint: "If you run raymond from its sources, build the page with: npm run build",
  }),

  // Listening.
  "serve/port-taken": (host: string, port: number) => ({
    message: `Cannot listen on ${host}:${String(port)}: the port is already in use.`,
    hint: "Another raymond serve may be using it. Without --port, raymond chooses a free one.",
  }),
  "serve/cannot-listen": (host: string, port: number, cause: unknown) => ({
    message: `Cannot listen on ${host}:${String(port)}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: "Choose another --port above 1023, or omit --host.",
    cause,
  }),
  "serve/remote-control": (host: string) => ({
    message: `--host ${host} with --allow-control would let other machines start programs here, over an unencrypted connection.`,
    hint: "Omit --host and connect with ssh -L PORT:127.0.0.1:PORT. If you trust the network, add --allow-remote-control.",
  }),

  // Access.
  "serve/wrong-host": () => ({
    message: "Access denied: the Host header does not name this server.",
    hint: "Open the address that raymond serve printed.",
  }),
  "serve/wrong-origin": () => ({
    message: "Access denied: the request was sent by another site.",
    hint: "Open the address that raymond serve printed.",
  }),
  "serve/not-let-in": () => ({ message: "This browser is not signed in.", hint: REOPEN }),
  "serve/wrong-token": () => ({
    message: "The token in the address does not belong to this server.",
    hint: REOPEN,
  }),
  "serve/read-only": () => ({
    message: "This server is read-only: it cannot start, stop, resume or answer runs.",
    hint: "Restart it with: raymond serve --allow-control. Or use the command line.",
  }),
  "serve/outside": (workflow: string, folder: string) => ({
    message: `Cannot start ${workflow}: it is outside ${folder}.`,
    hint: "The dashboard starts workflows of that folder only. Start others in a terminal.",
  }),

  // Requests.
  "serve/wrong-method": () => ({ message: "Only GET and POST are supported.", hint: ADDRESSES }),
  "serve/no-such-address": () => ({ message: "This address does not exist.", hint: ADDRESSES }),
  "serve/no-such-action": (name: string) => ({
    message: `Unknown action "${name}".`,
    hint: "docs/dashboard.md lists the actions.",
  }),
  "serve/no-such-run": (id: string) => ({
    message: `Run ${id} not found.`,
    hint: "It may have been deleted. The list shows the runs that exist.",
  }),
  "serve/no-such-folder": () => ({
    message: "This server does not show that folder.",
    hint: "It shows the folders that it was started with: raymond serve FOLDER…",
  }),
  "serve/bad-request": (problem: string) => ({
    message: `Invalid request: ${problem}`,
    hint: "docs/dashboard.md describes the parameters of each address.",
  }),
  "serve/no-json": () => ({
    message: "The request body must be JSON.",
    hint: "Send the header Content-Type: application/json and a JSON body.",
  }),
  "serve/too-long": (bytes: number) => ({
    message: `The request body is longer than ${String(bytes)} bytes.`,
    hint: "Put long texts into a file.",
  }),
  "serve/too-many": (streams: number) => ({
    message: `Too many open event streams: the limit is ${String(streams)}.`,
    hint: "Close pages that you do not use.",
  }),
  "serve/stops-again": (reason: string, missing: string) => ({
    message: `The run would stop again immediately. ${reason}`.trim(),
    hint: `Resume it with ${missing}.`,
  }),
});
