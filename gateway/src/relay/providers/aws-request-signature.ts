/** A request to Bedrock with its signature. */
import { type AmazonKey, signForAmazon } from "../../egress/amazon-signature.ts";
import { findHeader, stripHeaders } from "./header-list.ts";
import type { UpstreamRequest } from "./provider.ts";

/** Signs only the headers that identify destination and content: others may change on the way. */
export async function signBedrockRequest(
  request: UpstreamRequest,
  key: AmazonKey,
  now: number,
): Promise<UpstreamRequest> {
  const { url, method = "POST", body } = request;
  const headers = {
    "content-type": findHeader(request.headers, "content-type") ?? "application/json",
  };
  const proof = await signForAmazon("bedrock", { method, url, headers, body }, key, now);
  const remaining = stripHeaders(request.headers, ...Object.keys(proof));
  return { ...request, headers: [...remaining, ...Object.entries(proof).flat()] };
}
