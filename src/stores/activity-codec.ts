import type { Activity } from "../core/machine/activity.ts";
import { type SpendReport, unpaid } from "../core/machine/spend.ts";
import type { ActivityDocument, AgentDocument } from "./schema.ts";
import { decodeTokens, encodeTokens } from "./token-codec.ts";
import { parseMoment, printMoment } from "./units.ts";

/** What an agent does as the state file has it; of one that is ready it has nothing. */
export function encodeActivity(activity: Exclude<Activity, { type: "ready" }>): ActivityDocument {
  switch (activity.type) {
    case "running": {
      const { type, process, kind, startedAt, accepted, call, spend } = activity;
      const told = spend === null ? {} : { spend: encodeSpend(spend) };
      return { type, process, kind, started_at: startedAt, accepted, call, ...told };
    }
    case "waiting":
      return { type: "waiting", until: printMoment(activity.until), for: activity.for };
    case "failed": {
      const { class: kind, message, hint, state } = activity.error;
      return { type: "failed", error: { class: kind, message, hint, state } };
    }
  }
}

/** What {@link encodeActivity} was given. */
export function decodeActivity(json: ActivityDocument): Activity {
  switch (json.type) {
    case "running": {
      const { type, process, kind, started_at: startedAt, accepted, call } = json;
      const spend = json.spend === undefined ? null : decodeSpend(json.spend);
      return { type, process, kind, startedAt, accepted, call, spend };
    }
    case "waiting":
      return { ...json, until: parseMoment(json.until) };
    case "failed":
      return json;
  }
}

/** The name that a state file has for what an agent does (docs/state-file.md, "An agent"). */
export function agentStatus({ type }: Pick<Activity, "type">): AgentDocument["status"] {
  switch (type) {
    case "ready":
    case "running":
      return "ready";
    case "waiting":
    case "failed":
      return type;
  }
}

function encodeSpend({ version, model, tokens, listPrice }: SpendReport): SpendDocument {
  return {
    client_version: version,
    model,
    tokens: encodeTokens(tokens),
    list_price: listPrice,
  };
}

/** A step in flight has told tokens; dollars come only when it has ended. */
function decodeSpend({ client_version, model, tokens, list_price }: SpendDocument): SpendReport {
  return unpaid({
    version: client_version,
    model,
    tokens: decodeTokens(tokens),
    listPrice: list_price,
  });
}

type SpendDocument = NonNullable<Extract<ActivityDocument, { type: "running" }>["spend"]>;
