import { existsSync } from "node:fs";
import type { StartService } from "../../engine/ports/process.ts";

/** A watchdog process that kills a worker's child processes if the worker hangs. */
export interface Guard {
  /** Heartbeat: the worker must renew again within `leftMs`. */
  readonly renew: (leftMs: number) => void;
  /** Ends the guard. Never rejects. */
  readonly end: () => Promise<void>;
}

/*
 * A frozen process (SIGSTOP, a debugger, swap) cannot end its steps when its lease expires. They
 * would run concurrently with those of the worker that takes over. So another process watches:
 * U1  It reads the seconds until the lease expires, one line per heartbeat. If none arrives in that
 *     time, it kills all descendants of the worker, with their process groups, and exits.
 * U2  End of file means that the worker has ended: the guard exits and kills nothing. The next
 *     worker on this machine terminates orphan processes.
 * U3  The worker is the parent of the guard, and frozen when the guard kills, so that no pid of a
 *     child can have been reused.
 */
const SCRIPT = String.raw`
worker=$1
left=
while :; do
  case "$left" in
    '') read -r left || exit 0 ;;
    *)
      if [ "\${BASH_VERSINFO[0]}" -lt 4 ]; then left=\${left%.*}; [ "$left" -gt 0 ] || left=1; fi
      if read -r -t "$left" next; then left=$next
      elif [ $? -gt 128 ]; then break
      else exit 0; fi ;;
  esac
done

# Fills the arrays parents and groups, by process id.
look() {
  local stat line rest pid
  parents=() groups=()
  if [ -r /proc/self/stat ]; then
    for stat in /proc/[0-9]*/stat; do
      line=
      { read -r -d '' line < "$stat"; } 2> /dev/null
      [ -n "$line" ] || continue
      pid=\${line%% *}
      # The name of the program is in parentheses, and may contain some.
      rest=\${line##*) }
      case "$rest" in Z*|X*) continue ;; esac
      rest=\${rest#* }; parents[pid]=\${rest%% *}
      rest=\${rest#* }; groups[pid]=\${rest%% *}
    done
  else
    while read -r pid parent group; do
      parents[pid]=$parent; groups[pid]=$group
    done < <(ps -A -o pid=,ppid=,pgid=)
  fi
}

# Whether a process descends from the worker, but not from this process.
descends() {
  local pid=$1 steps=0
  while [ "\${pid:-0}" -gt 1 ] && [ $((steps += 1)) -lt 1000 ]; do
    [ "$pid" -ne $$ ] || return 1
    pid=\${parents[pid]}
    [ "$pid" != "$worker" ] || return 0
  done
  return 1
}

# More than once, for those that were started meanwhile.
for round in 1 2 3 4 5; do
  look
  found=
  for pid in "\${!parents[@]}"; do
    [ "$pid" -ne $$ ] && descends "$pid" || continue
    found=yes
    group=\${groups[pid]}
    [ "$group" = "\${groups[worker]}" ] || [ "$group" -le 1 ] || kill -KILL -- "-$group" 2> /dev/null
    kill -KILL "$pid" 2> /dev/null
  done
  [ -n "$found" ] || break
done
`.replaceAll("\\${", "${");

/** Starts the guard of this process. `onProblem` receives errors. */
export function startGuard(
  start: StartService,
  worker: number,
  onProblem: (problem: string) => void,
): Guard {
  const guard = start({
    command: existsSync("/bin/bash") ? "/bin/bash" : "bash",
    // bash reads ~/.bashrc if its standard input is a socket, which Node uses as pipes.
    args: ["--norc", "-c", SCRIPT, "raymond-guard", String(worker)],
    ...{ cwd: "/", env: { PATH: process.env["PATH"] ?? "" }, user: null },
    onStderr: (text) => {
      onProblem(text.trim());
    },
  });
  const ended = guard.ended.then(
    () => undefined,
    (error: unknown) => {
      onProblem(error instanceof Error ? error.message : String(error));
    },
  );
  return {
    renew: (leftMs) => {
      guard.write(`${(Math.max(1, leftMs) / 1000).toFixed(3)}\n`);
    },
    end: () => {
      guard.endInput();
      return ended;
    },
  };
}
