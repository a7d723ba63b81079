export { type ForegroundCall, type ForegroundEnd, inForeground } from "../../process/foreground.ts";
