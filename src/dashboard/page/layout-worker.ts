import type { Boxes } from "../../analysis/graph/layout.ts";
import { layOut } from "../../inspect/layout.ts";

/** Computes graph layouts off the main thread: 100 states take a second. */
self.addEventListener("message", ({ data }: MessageEvent<Boxes>) => {
  void layOut(data).then((layout) => {
    self.postMessage(layout);
  });
});
