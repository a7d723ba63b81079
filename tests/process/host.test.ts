import { processHost } from "../../src/process/host.ts";
import { describeProcessHost } from "../contracts/process.ts";

describeProcessHost("processHost", processHost());
// What macOS runs, on whatever has a ps.
describeProcessHost("processHost by ps", processHost("darwin"));
