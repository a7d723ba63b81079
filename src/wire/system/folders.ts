export { makeFolders } from "../../storage/make-folders.ts";
