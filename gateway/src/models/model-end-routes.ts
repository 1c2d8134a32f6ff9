/** API routes for models that end. */
import { listModelEnds } from "@tollgate/contract/model-ends.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import type { ModelEnds } from "./known-model-ends.ts";
import type { ModelEndStore } from "./model-end-store.ts";

export const modelEndRoutes = (store: ModelEndStore, { source, readOn }: ModelEnds): ApiRoute[] => [
  apiRoute(listModelEnds, async ({ now }) => ({ data: await store.ending(now), source, read_on: readOn })),
];
