import type { Boxes } from "../../core/graph/layout.ts";
import { layOut } from "../../runs/wire/layout.ts";

/** Finds the places of a picture beside the page: of a hundred states that takes a second. */
self.addEventListener("message", ({ data }: MessageEvent<Boxes>) => {
  void layOut(data).then((layout) => {
    self.postMessage(layout);
  });
});
