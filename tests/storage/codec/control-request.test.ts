import { expect, it } from "vitest";
import { readControlRequest } from "../../../src/storage/codec/control-request.ts";

const ACTOR = { user: "jane", host: null, via: "dashboard" } as const;
const SET = { agent: "main", state: "A.md", process: 7, result: "x", reason: null, actor: ACTOR };

it.each([
  { agent: null },
  { agent: "main", actor: ACTOR },
  { look: "answers" },
  { retry: "now" },
  { stop: "after-steps", actor: { ...ACTOR, sudoUser: "ann" } },
  { set: SET },
])("reads back %j", (request) => {
  expect(readControlRequest(JSON.stringify(request))).toEqual(request);
});

it.each([
  "",
  "null",
  '{"stop":"now"}',
  '{"agent":7}',
  '{"retry":"now","agent":null}',
  JSON.stringify({ set: { ...SET, process: "7" } }),
  JSON.stringify({ set: { ...SET, actor: { ...ACTOR, via: "model" } } }),
])("refuses %s", (text) => {
  expect(readControlRequest(text)).toBeNull();
});
