import * as z from "zod/mini";
import { once, type Shape } from "./shape.ts";

type Clients = Readonly<Record<string, string>>;

/** Clients by coding agent. A text is that of Claude Code, the only agent of earlier versions. */
export const clients: Shape<Clients, string | null | Clients> = {
  schema: once(() => z.nullable(z.union([z.string(), z.record(z.string(), z.string())]))),
  encode: ({ claude = null, ...others }) => {
    if (Object.keys(others).length === 0) return claude;
    return claude === null ? others : { claude, ...others };
  },
  decode: (json) => {
    if (json === null) return {};
    return typeof json === "string" ? { claude: json } : json;
  },
};
