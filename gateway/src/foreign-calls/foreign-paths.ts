/**
 * Addresses of LiteLLM's management that are answered, and are neither below /api nor pages of the
 * console. Pure.
 */

const litellmPaths: ReadonlySet<string> = new Set([
  "/key/generate",
  "/key/update",
  "/key/delete",
  "/key/block",
  "/key/unblock",
  "/key/list",
  "/key/info",
  "/user/new",
  "/user/info",
  "/user/update",
  "/user/list",
  "/model/info",
  "/v1/model/info",
  "/spend/logs",
  "/health",
]);

export const isLitellmPath = (path: string): boolean => litellmPaths.has(path);

/** `litellmProbes` are what asks whether the process lives, and whether it can serve. */
export const litellmProbes: Readonly<Record<string, "alive" | "ready">> = {
  "/health/liveliness": "alive",
  "/health/liveness": "alive",
  "/health/readiness": "ready",
};
