import path from "node:path";
import { shellWord } from "../../console/shell-word.ts";

interface UnitOptions {
  readonly pools: readonly string[];
  readonly slots: number;
  readonly machine: string | undefined;
  /** `--step-user`. The worker itself then runs as root. */
  readonly stepUser: string | undefined;
  /** `--policy`. */
  readonly policy: string | undefined;
  readonly accounts: { readonly file: string | undefined; readonly names: readonly string[] };
  /** The working folder; its `.raymond` contains copies, workspaces and conversations. */
  readonly cwd: string;
  /** The user who prints the unit. The worker runs as this user, but not as root unless `stepUser` is set. */
  readonly user: string;
  /** PATH of the worker and its steps. */
  readonly path: string;
}

/**
 * A systemd unit for a worker. All processes end with the worker: otherwise a step would run concurrently with
 * the restarted worker, which resumes its runs.
 */
export function unitFile(options: UnitOptions): string {
  const { pools, slots, machine, stepUser, policy, accounts, cwd, user } = options;
  const words = [
    process.execPath,
    path.resolve(process.argv[1] ?? "raymond"),
    "worker",
    ...pools.flatMap((pool) => ["--pool", pool]),
    ...["--slots", String(slots)],
    ...(machine === undefined ? [] : ["--machine", machine]),
    ...(stepUser === undefined ? [] : ["--step-user", stepUser]),
    ...(policy === undefined ? [] : ["--policy", path.resolve(cwd, policy)]),
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
WorkingDirectory=${escaped(cwd)}
Environment=${escaped(shellWord(`PATH=${options.path}`))}
EnvironmentFile=-/etc/raymond/worker.env
ExecStart=${escaped(words.map((word) => shellWord(word)).join(" "))}
Restart=always
RestartSec=5
KillMode=control-group
TimeoutStopSec=30

[Install]
WantedBy=multi-user.target
`;
}

/** A percent sign starts a specifier of systemd. */
function escaped(text: string): string {
  return text.replaceAll("%", "%%");
}
