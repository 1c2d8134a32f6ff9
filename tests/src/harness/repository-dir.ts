import { join } from "node:path";

export const repositoryDir = join(import.meta.dirname, "../../..");
