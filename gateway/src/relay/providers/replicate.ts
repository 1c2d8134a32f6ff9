/** Replicate: a prediction is asked for below its model, and asked after until it is over. */
import { parsedObject, record, text } from "../json-parts.ts";
import { joined } from "./entry-urls.ts";
import type { Provider, ReadStep, UpstreamRequest } from "./provider.ts";
import { bearer } from "./usual.ts";

/** `owner/name`. */
const modelName = /^\w[\w.-]*\/\w[\w.-]*$/;
const askAgainMs = 1_000;

/** Nobody but the host that got the key is asked after a prediction. */
function follow({ url }: UpstreamRequest, secret: string): ReadStep {
  const headers = [...bearer(secret), "accept", "application/json", "user-agent", "tollgate"];
  const read: ReadStep = (body) => {
    const { status, urls } = parsedObject(body.toString("utf8"));
    const next = status === "starting" || status === "processing" ? URL.parse(text(record(urls).get)) : null;
    if (next?.origin !== url.origin) return { body };
    return { request: { url: next, method: "GET", headers, body: Buffer.alloc(0), next: read }, afterMs: askAgainMs };
  };
  return read;
}

export const replicate: Provider = {
  entries({ base }, model) {
    const url = modelName.test(model) ? joined(base, `/${model}/predictions`) : null;
    return url ? { replicate_prediction: url, replicate_pictures: url } : {};
  },
  credentials: bearer,
  finish: (request, _call, _model, { secret }) => ({
    ...request,
    // As long as the provider lets a call wait, up to a minute.
    headers: [...request.headers, "prefer", "wait"],
    next: follow(request, secret),
  }),
};
