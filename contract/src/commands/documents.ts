/** The machine-readable description of this API. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";

export const getOpenApi = endpoint("GET", "/api/openapi.json", {
  access: "public",
  scope: "none",
  summary: "The management API and the client API as an OpenAPI 3.1 document",
  data: z.record(z.string(), z.unknown()),
  bare: true,
  beforePasswordChange: true,
});
