import { join } from "node:path";

export const repositoryDir = join(import.meta.dirname, "../../..");
/** As `npm start` does: programs that were started before start faster. */
export const compileCache = { NODE_COMPILE_CACHE: join(repositoryDir, ".cache/compiled") };
