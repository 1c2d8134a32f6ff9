/** API route for calls that failed before they had a log row. */
import { type FailedTry, listFailedTries } from "@tollgate/contract/figures/failed-calls.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";

export type ListFailedTries = (viewer: {
  address: string;
  userId: number;
  since: number;
}) => FailedTry[];

export const buildFailedTryRoutes = (triesOf: ListFailedTries): ApiRoute[] => [
  apiRoute(listFailedTries, ({ principal, address, query }) =>
    triesOf({ address, userId: principal.id, since: query.since ?? 0 }),
  ),
];
