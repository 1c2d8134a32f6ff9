/**
 * A gateway with the sample site and its simulated provider, on this machine only; `stop` removes
 * everything.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGatewayProcess } from "../tests/src/harness/gateway-process.ts";
import { startSimulatorProcess } from "../tests/src/harness/simulator-process.ts";
import { makeSampleCalls, testSampleChannels } from "./sample-calls.ts";
import { samplePassword } from "./sample-site.ts";
import { writeSampleSite } from "./write-sample-site.ts";

export type DemoSite = Awaited<ReturnType<typeof startDemoSite>>;

export async function startDemoSite({ port }: { port: number }) {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-demo-"));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  const simulator = await startSimulatorProcess();
  try {
    const site = await writeSampleSite(dataDir, simulator.url);
    const gateway = await startGatewayProcess({
      dataDir,
      upstreams: [simulator.url],
      env: { PORT: String(port), SHUTDOWN_GRACE_SECONDS: "2" },
    });
    const [made] = await Promise.all([
      makeSampleCalls(gateway.url, site.keys),
      testSampleChannels(gateway.url),
    ]);
    return {
      url: gateway.url.replace("127.0.0.1", "localhost"),
      username: "root",
      /** A user without a role, with the same password. */
      user: "support",
      password: samplePassword,
      calls: site.calls + made,
      simulator: simulator.url,
      /** Resolves when the gateway ends for any reason; `output` then contains the reason. */
      exited: gateway.exited,
      output: gateway.output,
      async stop() {
        await gateway.stop();
        await simulator.stop();
        await removeData();
      },
    };
  } catch (error) {
    await simulator.stop();
    await removeData();
    throw error;
  }
}
