// `npm start`: builds the console and the gateway's bundle when they are missing or stale, then
// runs the gateway in this terminal.
import { join } from "node:path";
import { ensureConsoleBuild } from "./console-build.ts";
import { ensureGatewayBuild } from "./gateway-build.ts";
import { superviseGateway } from "./supervise-gateway.ts";

const root = join(import.meta.dirname, "..");

try {
  await ensureConsoleBuild(root, () =>
    console.log("Building the console, this takes a few seconds."),
  );
  process.exitCode = await superviseGateway(await ensureGatewayBuild(root));
} catch (error) {
  console.error(`tollgate: ${(error as Error).message}`);
  process.exitCode = 1;
}
