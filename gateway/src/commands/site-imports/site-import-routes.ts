/** Routes by which root moves another system in. */
import {
  beginSiteImport,
  carrySiteImport,
  getSiteImport,
  planSiteImport,
  removeSiteImport,
  stopSiteImport,
  uploadSiteImport,
} from "@tollgate/contract/commands/site-imports.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import type { ProveIdentity } from "../../http/request-context.ts";
import type { SiteImports } from "./manage-site-import.ts";

interface SiteImportRoutesDeps {
  imports: SiteImports;
  /** An import brings accounts, keys and balances. */
  proveIdentity: ProveIdentity;
}

export const buildSiteImportRoutes = ({
  imports,
  proveIdentity,
}: SiteImportRoutesDeps): ApiRoute[] => [
  apiRoute(getSiteImport, imports.latest),
  apiRoute(beginSiteImport, async (call) => {
    await proveIdentity(call, call.body);
    await imports.begin(call);
    return await imports.latest();
  }),
  apiRoute(uploadSiteImport, async ({ query, body }) => {
    await imports.receive(query.offset, body);
    return await imports.latest();
  }),
  apiRoute(planSiteImport, async (call) => {
    await imports.start(call, "plan");
    return await imports.latest();
  }),
  apiRoute(carrySiteImport, async (call) => {
    await proveIdentity(call, call.body);
    await imports.start(call, "carry");
    return await imports.latest();
  }),
  apiRoute(stopSiteImport, async () => {
    await imports.stop();
    return await imports.latest();
  }),
  apiRoute(removeSiteImport, async (call) => {
    await imports.remove(call);
    return await imports.latest();
  }),
];
