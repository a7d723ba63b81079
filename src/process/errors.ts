import { defineErrors } from "../language/basics/errors.ts";

export const processErrors = defineErrors({
  "process/no-table": () => ({
    message: "Cannot list processes: /bin/ps does not show even this process.",
    hint: "ps may be missing, or the process limit is reached. Retry when this command works: /bin/ps -A",
  }),
});
