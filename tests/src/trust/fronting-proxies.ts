// The reverse proxies that docs/operations.md configures. `npm test` runs nginx; Caddy is large.
import type { Availability } from "../harness/availability.ts";
import { caddyAvailable, startCaddy } from "../harness/caddy-server.ts";
import type { FrontingProxy, FrontingProxyOptions } from "../harness/fronting-proxy.ts";
import { nginxAvailable, startNginx } from "../harness/nginx-server.ts";
import { largeOn } from "../support/large-tests.ts";

export type StartFrontingProxy = (
  target: string,
  options?: FrontingProxyOptions,
) => Promise<FrontingProxy>;

export interface TriedFrontingProxy {
  name: string;
  possible: Availability;
  start: StartFrontingProxy;
  tags: string[];
}

export const frontingProxies: readonly TriedFrontingProxy[] = [
  { name: "nginx", possible: nginxAvailable(), start: startNginx, tags: largeOn(false) },
  { name: "Caddy", possible: caddyAvailable(), start: startCaddy, tags: largeOn(true) },
];
