export {
  type ForegroundCall,
  type ForegroundEnd,
  runInForeground as inForeground,
} from "../../process/children/foreground.ts";
