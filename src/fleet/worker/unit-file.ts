import path from "node:path";
import { shellWord } from "../../console/shell-word.ts";

/** What the unit of a worker is made of. */
export interface UnitOptions {
  readonly pools: readonly string[];
  readonly slots: number;
  readonly machine: string | undefined;
  /** Whom steps run as; undefined: as the worker. */
  readonly stepUser: string | undefined;
  readonly accounts: { readonly file: string | undefined; readonly names: readonly string[] };
  /** The folder that the worker works in: its `.raymond` has copies, workspaces, conversations. */
  readonly cwd: string;
  /** Who prints it. */
  readonly user: string;
  /** Where programs are found; the client of prompts is one. */
  readonly path: string;
}

/**
 * A unit of systemd for a worker, as whoever prints it: no step need be root's. With a step user the worker is root's. All of its processes end with it, or a step would go
 * on beside the worker that goes on with its run; and it is started again whatever has
 * ended it, for then it goes on with its runs where they were.
 */
export function unitFile({
  pools,
  slots,
  machine,
  stepUser,
  accounts,
  cwd,
  user,
  ...env
}: UnitOptions): string {
  const words = [
    process.execPath,
    path.resolve(process.argv[1] ?? "raymond"),
    "worker",
    ...pools.flatMap((pool) => ["--pool", pool]),
    ...["--slots", String(slots)],
    ...(machine === undefined ? [] : ["--machine", machine]),
    ...(stepUser === undefined ? [] : ["--step-user", stepUser]),
    ...(accounts.file === undefined ? [] : ["--accounts", path.resolve(cwd, accounts.file)]),
    ...accounts.names.flatMap((name) => ["--account", name]),
  ];
  return `# raymond worker: put it into /etc/systemd/system/raymond-worker.service
# The URL of the database, postgresql://…, belongs into the file that LoadCredential names (mode 0600, owner root).
[Unit]
Description=raymond worker
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
User=${stepUser !== undefined ? "root" : user === "root" ? "raymond" : user}
LoadCredential=raymond-fleet:/etc/raymond/fleet
WorkingDirectory=${specified(cwd)}
Environment=${specified(shellWord(`PATH=${env.path}`))}
EnvironmentFile=-/etc/raymond/worker.env
ExecStart=${specified(words.map((word) => shellWord(word)).join(" "))}
Restart=always
RestartSec=5
KillMode=control-group
TimeoutStopSec=30

[Install]
WantedBy=multi-user.target
`;
}

/** To systemd a percent sign begins a specifier. */
function specified(text: string): string {
  return text.replaceAll("%", "%%");
}
