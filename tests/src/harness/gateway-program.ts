/** The gateway as tests start it: its bundle, which is what operators run. */
import { join } from "node:path";
import { gatewayCommand } from "../../../scripts/gateway-node-options.ts";
import { repositoryDir } from "./repository-dir.ts";

/**
 * The path of the program. `GATEWAY_MAIN` names it, and the setup of the slower projects sets it to
 * the bundle. `GATEWAY_MAIN=gateway/src/start/main.ts` gives stack traces with the lines of the
 * sources.
 */
export const gatewayMain = (): string =>
  join(repositoryDir, process.env.GATEWAY_MAIN ?? "gateway/src/start/main.ts");

/** Options of Node.js and variables for a process of the gateway. */
export const gatewayProgram = () => gatewayCommand(gatewayMain());
