/** Use cases start no process by themselves: this one runs raymond once more. */
export { startDetached } from "../../process/children/detached-process.ts";
