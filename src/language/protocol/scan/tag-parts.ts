/** Parts that several tags share. */
export const TARGET = {
  field: "target",
  name: "target",
  holds: "state",
  required: true,
  open: "STATE",
} as const;
export const PATH = {
  field: "path",
  name: "target",
  holds: "workflow",
  required: true,
  open: "PATH",
} as const;
export const RETURN = {
  field: "returnTo",
  name: "return",
  holds: "state",
  required: true,
  open: "STATE",
} as const;
export const CD = {
  field: "cd",
  name: "cd",
  holds: "folder",
  required: false,
  open: "FOLDER",
} as const;
export const INPUT = {
  field: "input",
  name: "input",
  holds: "text",
  required: false,
  open: "TEXT",
} as const;
export const DELAY = {
  field: "delay",
  name: "delay",
  holds: "duration",
  required: false,
  open: "5m",
} as const;
export const FRAMES = {
  field: "frames",
  name: "frames",
  holds: "choice",
  choices: ["drop", "keep"],
  required: false,
  open: "keep",
} as const;
export const NEXT = {
  field: "next",
  name: "next",
  holds: "state",
  required: "alone",
  open: "STATE",
} as const;
export const ON_ERROR = {
  field: "onError",
  name: "on_error",
  holds: "choice",
  choices: ["stop", "report"],
  required: false,
  open: "report",
} as const;
export const TIMEOUT = {
  field: "timeout",
  name: "timeout",
  holds: "duration",
  required: false,
  open: "2h",
  with: "timeout_next",
} as const;
export const TIMEOUT_NEXT = {
  field: "timeoutNext",
  name: "timeout_next",
  holds: "state",
  required: false,
  open: "STATE",
  with: "timeout",
} as const;

/** Effects that several tags share. */
export const RESET_EFFECTS = [
  {
    who: "",
    session: "fresh",
    stack: "cleared; kept by `frames`",
    folder: "`cd`, else kept",
  },
] as const;
export const FORK_EFFECTS = [
  {
    who: "the parent, at `next`",
    session: "resumes the current one",
    stack: "kept",
    folder: "kept",
  },
  {
    who: "the worker",
    session: "fresh",
    stack: "empty",
    folder: "`cd`, else the launch folder",
  },
] as const;
