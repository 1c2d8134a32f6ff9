import { expect, test } from "vitest";
import { readKeyDestination } from "./key-destination.ts";

const gateway = "https://gateway.ai.cloudflare.com/v1/account";
const at = (base_url: string | null, config = "", type = 1) =>
  readKeyDestination({ type, base_url, config });
const urls = (address: string) => JSON.stringify({ endpoint_urls: { embeddings: address } });

test.each([
  ["another path", at("https://a.example/v1"), at("https://a.example/v2/")],
  ["the default address, left out", at(""), at("https://api.openai.com")],
  ["no address at all", at(null), at("https://api.openai.com:443/")],
  [
    "another path of one endpoint",
    at("https://a.example"),
    at("https://a.example", urls("https://a.example/x")),
  ],
  [
    "other settings",
    at("https://a.example"),
    at("https://a.example", '{"region":"eu","endpoint_urls":[1]}'),
  ],
  ["a trailing slash on a shared host", at(gateway), at(`${gateway}/`)],
])("%s is the same destination", (_, before, after) => expect(after).toBe(before));

test.each([
  ["another host", at("https://a.example"), at("https://b.example")],
  ["another port", at("https://a.example"), at("https://a.example:8443")],
  ["http instead of https", at("https://a.example:443"), at("http://a.example:443")],
  ["another type", at("https://a.example"), at("https://a.example", "", 14)],
  ["another type whose address follows from a region", at("", "", 33), at("", "", 42)],
  [
    "one endpoint at another host",
    at("https://a.example"),
    at("https://a.example", urls("https://b.example/")),
  ],
  [
    "one endpoint over http",
    at("https://a.example"),
    at("https://a.example", urls("http://a.example/")),
  ],
  [
    "another path on a shared host",
    at(gateway),
    at("https://gateway.ai.cloudflare.com/v1/another"),
  ],
  ["one endpoint below another path there", at(gateway), at(gateway, urls(`${gateway}er/x`))],
  ["a text that is no address", at("https://a.example"), at("a.example")],
])("%s is another destination", (_, before, after) => expect(after).not.toBe(before));
