// Builds the console where its sources changed. A test that needs the build then finds it, and none
// builds it while others serve it.
import { join } from "node:path";
import { ensureConsoleBuild } from "./console-build.ts";

await ensureConsoleBuild(join(import.meta.dirname, ".."), () => undefined);
