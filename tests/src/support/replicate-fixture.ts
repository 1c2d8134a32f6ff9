// Modelled on Replicate's reference of predictions (replicate.com/docs/reference/http,
// `models.predictions.create`), not captured.
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

/** `at` is the host that is called. */
const prediction = (at: string, status: string, more: JsonRecord): JsonRecord => ({
  id: "gm3qorzdhgbfurvjtvhg6dckhu",
  model: "meta/meta-llama-3-70b-instruct",
  version: "dp-cf04fe09351e25db628e8b6181276547",
  input: { prompt: "hi" },
  logs: "",
  output: null,
  data_removed: false,
  error: null,
  status,
  created_at: "2023-09-08T16:19:34.765994Z",
  urls: {
    cancel: `${at}/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu/cancel`,
    get: `${at}/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu`,
    stream: "https://stream.replicate.com/v1/files/none",
  },
  ...more,
});

export const replicateStarting = (at: string): JsonRecord => prediction(at, "starting", {});
export const replicateAnswer = (at: string): JsonRecord =>
  prediction(at, "succeeded", {
    output: ["Hello", " there", "!"],
    metrics: {
      input_token_count: 12,
      output_token_count: 3,
      predict_time: 0.412683,
      time_to_first_token: 0.1,
      tokens_per_second: 50.1,
    },
  });
/** Many models report no counts. */
export const replicateUncounted = (at: string): JsonRecord =>
  prediction(at, "succeeded", { output: "Hello there!", metrics: { predict_time: 0.4 } });
export const replicateFailed = (at: string): JsonRecord =>
  prediction(at, "failed", {
    error: "CUDA out of memory",
    completed_at: "2023-09-08T16:19:35.765994Z",
  });

export const replicateUnauthorized: JsonRecord = {
  title: "Unauthenticated",
  detail: "You did not pass a valid authentication token",
  status: 401,
};
