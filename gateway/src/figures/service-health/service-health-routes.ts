/** API route of the status page. */
import { getServiceHealth } from "@tollgate/contract/figures/service-health.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { buildHealth } from "./service-health-rules.ts";
import type { ServiceHealthStore } from "./service-health-store.ts";

/** `buildServiceHealthRoutes` answers as for an unknown address where the page is not shown. */
export const buildServiceHealthRoutes = (
  store: ServiceHealthStore,
  options: OptionReader,
): ApiRoute[] => [
  apiRoute(getServiceHealth, async ({ principal, now }) => {
    const isShown =
      options.flag("StatusPagePublicEnabled") ||
      (principal !== undefined && options.flag("StatusPageEnabled"));
    if (!isShown) throw refuse("route_not_found");
    const [models, sums] = await Promise.all([store.models(principal?.group), store.sums(now)]);
    return buildHealth(models, sums, now);
  }),
];
