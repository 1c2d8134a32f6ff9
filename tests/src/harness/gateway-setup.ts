/**
 * vitest's global setup of the projects that start gateways as processes: one bundle for the whole
 * run.
 */
import { relative } from "node:path";
import { ensureGatewayBuild } from "../../../scripts/gateway-build.ts";
import { repositoryDir } from "./repository-dir.ts";

export default async function setup(): Promise<void> {
  process.env.GATEWAY_MAIN ??= relative(repositoryDir, await ensureGatewayBuild(repositoryDir));
}
