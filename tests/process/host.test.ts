import { processHost } from "../../src/process/host.ts";
import { describeLeftovers } from "../contracts/leftovers.ts";
import { describeProcessHost } from "../contracts/process.ts";

describeProcessHost("processHost", processHost());
describeLeftovers("those of the machine", () => processHost().leftovers("/nowhere"));
// What macOS runs, on whatever has a ps.
describeProcessHost("processHost by ps", processHost("darwin"));
