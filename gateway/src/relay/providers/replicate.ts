/** Replicate: a prediction is created below its model and polled until it has ended. */
import { parseObject, record, text } from "../wire/json-parts.ts";
import { joinUrl } from "./endpoint-urls.ts";
import type { ProviderAdapter, ReadPoll, UpstreamRequest } from "./provider.ts";
import { composeBearer } from "./standard-providers.ts";

/** `owner/name`. */
const modelName = /^\w[\w.-]*\/\w[\w.-]*$/;
const pollEveryMs = 1_000;

/** Only the host that received the key is polled. */
function pollPrediction({ url }: UpstreamRequest, secret: string): ReadPoll {
  const headers = [
    ...composeBearer(secret),
    "accept",
    "application/json",
    "user-agent",
    "tollgate",
  ];
  const read: ReadPoll = (body) => {
    const { status, urls } = parseObject(body.toString("utf8"));
    const next =
      status === "starting" || status === "processing" ? URL.parse(text(record(urls).get)) : null;
    if (next?.origin !== url.origin) return { body };
    return {
      request: { url: next, method: "GET", headers, body: Buffer.alloc(0), readPoll: read },
      afterMs: pollEveryMs,
    };
  };
  return read;
}

export const replicate: ProviderAdapter = {
  endpoints({ base }, model) {
    const url = modelName.test(model) ? joinUrl(base, `/${model}/predictions`) : null;
    return url ? { replicate_prediction: url, replicate_pictures: url } : {};
  },
  credentials: composeBearer,
  finish: (request, _call, _model, { secret }) => ({
    ...request,
    // Asks the provider to hold the request as long as it allows, up to a minute.
    headers: [...request.headers, "prefer", "wait"],
    readPoll: pollPrediction(request, secret),
  }),
};
