/** The quantities by which a call is charged; docs/usage.md says where each is read. */

/** Text tokens. Every token of a call is in exactly one bucket. */
export const textBuckets = [
  "input",
  "cache_read",
  "cache_write_5m",
  "cache_write_1h",
  "output",
] as const;
/**
 * Audio and image tokens, where the provider reports them separately, and reasoning that has a
 * price of its own.
 */
export const mediaBuckets = [
  "input_audio",
  "cache_read_audio",
  "output_audio",
  "input_image",
  "cache_read_image",
  "output_image",
  "reasoning",
] as const;
/**
 * Items: generated images, transcribed seconds, spoken characters, searches and other tool calls.
 * `grounded_requests` are calls in which Google searched the web at all, `map_requests` those that
 * it answered with places of Google Maps, `search_units` are reranked queries, `code_runs` are
 * programs that a provider ran, `container_sessions` gigabytes of the containers that a call
 * started, for 20 minutes each, `pages` are pages of documents whose text was recognized,
 * `annotated_pages` those that the model also described as the client asked, `calls` the calls
 * themselves.
 */
export const itemBuckets = [
  "images",
  "seconds",
  "characters",
  "web_searches",
  "grounded_requests",
  "map_requests",
  "file_searches",
  "search_units",
  "code_runs",
  "container_sessions",
  "pages",
  "annotated_pages",
  "calls",
] as const;
