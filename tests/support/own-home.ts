import { tmpdir } from "node:os";
import path from "node:path";

// Tests that pass no home to raymond must not write into that of the person who runs them.
process.env["HOME"] = path.join(tmpdir(), "raymond-test-home");
