import { colorStyle, plainStyle, type Style } from "../../console/style.ts";

/** The variables that decide about colour. */
export interface ColorEnvironment {
  readonly FORCE_COLOR?: string | undefined;
  readonly NO_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/**
 * Whether a stream gets colour (docs/configuration.md, "Environment variables"):
 * `FORCE_COLOR` wins in both directions (`0` and `false` mean never), then
 * `NO_COLOR`, then `TERM=dumb`, then whether the stream is a terminal.
 */
export function chooseStyle(
  stream: { readonly isTTY?: boolean | undefined },
  env: ColorEnvironment,
): Style {
  return wantsColor(stream.isTTY === true, env) ? colorStyle : plainStyle;
}

function wantsColor(terminal: boolean, env: ColorEnvironment): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced.toLowerCase() !== "false";
  // no-color.org: only a value that is not empty counts.
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.TERM === "dumb") return false;
  return terminal;
}
