// How Node is started for the gateway: by `npm start`, and by tests and benchmarks, which look at nothing else.
import { join } from "node:path";

export const gatewayEnvironment = {
  // What Node made of our sources the last time: a third less time to start, and 50 MB less memory.
  NODE_COMPILE_CACHE: join(import.meta.dirname, "../.cache/compiled"),
  // The system's allocator would keep free memory for each thread: 60 MB with thousands of open streams.
  MALLOC_ARENA_MAX: "2",
};

/**
 * A quarter of Node's own bound for the space in which objects are made: calls leave little behind, so that nothing gets
 * slower, and thousands of open streams take 50 MB less.
 */
export const gatewayFlags = ["--max-semi-space-size=8"];
