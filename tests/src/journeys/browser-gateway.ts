/**
 * A gateway for journeys: it ends quickly, and JOURNEY_STORE plays every journey on one database.
 */
import type { DatabaseKind } from "../harness/gateway-database.ts";
import {
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../harness/test-gateway.ts";

export const startBrowserGateway = ({
  store,
  env,
  ...options
}: TestGatewayOptions = {}): Promise<TestGateway> =>
  startTestGateway({
    ...options,
    store: (process.env.JOURNEY_STORE as DatabaseKind | undefined) ?? store ?? "sqlite",
    env: { SHUTDOWN_GRACE_SECONDS: "1", ...env },
  });
