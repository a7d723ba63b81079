import { expect, it } from "vitest";
import {
  receivesRequests,
  requestDispatcher,
} from "../../../src/run/control/request-dispatcher.ts";

it("detects whether a control receives all requests", () => {
  const { control } = requestDispatcher();
  const { onWake, ...others } = control;

  expect([
    receivesRequests(control),
    receivesRequests(others),
    receivesRequests({ onWake }),
    receivesRequests(undefined),
  ]).toEqual([true, false, false, false]);
});
