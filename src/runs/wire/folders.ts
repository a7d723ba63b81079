export { makeFolders } from "../../stores/make-folders.ts";
